//! Errors of values in requests that no rule of the domain covers.

use crate::message::messages;

messages! {
    /// Reason why the value of a field is refused. The texts follow the name of the field.
    pub enum InputError("input-error") {
        Missing("missing") => "is missing",
        Repeated("repeated") => "is there more than once",
        Empty("empty") => "must not be empty",
        TooLong("too_long") { most: usize } => "must have at most {most} characters",
        ControlCharacter("control_character") => "must not have control characters",
        NotANumber("not_a_number") => "must be a whole number",
        NotAFlag("not_a_flag") => "must be true or false",
        TooLarge("too_large") => "is too large",
        TooSmall("too_small") => "is too small",
        OutOfRange("out_of_range") { least: i64, most: i64 } => "must be between {least} and {most}",
        /// A list with too few or too many entries.
        WrongNumber("wrong_number") { least: i64, most: i64 } => "must name between {least} and {most} items",
        /// An offset beyond what is walked; cursors are cheap at any distance.
        TooFar("too_far") { most: i64 } => "must be between 0 and {most}; take cursors to go further",
        NoneOf("none_of") { choices: String } => "must be one of {choices}",
        /// Two fields exclude each other.
        NotWith("not_with") { other: String } => "cannot go together with {other}",
        NotATime("not_a_time") => "must be a time such as 2026-05-01T09:30:00Z",
        NotAnInterval("not_an_interval") => "must be 30 to 720 in steps of 30, or 0 or \"auto\" to adapt to how often the feed posts",
        NotAHash("not_a_hash") => "must be 64 hexadecimal digits",
        /// A cursor of another list.
        ForeignCursor("foreign_cursor") => "is not one that this list gave out",
        NewestOnly("newest_only") => "must be newest where search is given",
        BadTitle("bad_title") { most: usize } => "must have at most {most} characters, and no control characters",
        /// An upload without its file.
        NoFile("no_file") => "is missing; send the OPML file in a form field of that name",
        UnknownAction("unknown_action") => "is not something that can be done here",
        /// A rule that would act on every item.
        NoCondition("no_condition") => "is missing: say which items the rule is about, by query, feed_id or category_id",
        NoAction("no_action") => "must have at least one of mark_read, star, hide, notify and label",
    }
}
