# See words.rs for how messages are used.
