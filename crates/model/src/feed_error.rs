//! Errors of feeds that are shown to subscribers, and reasons why entries of an imported data
//! export were skipped.

use crate::address::AddressError;
use crate::category::CategoryError;
use crate::credentials::{CredentialsError, TypedError};
use crate::feed::MAX_OWN_TITLE_CHARS;
use crate::label::LabelError;
use crate::message::{StoredMessage, messages};
use crate::search::QueryError;
use crate::share_target::ShareTargetError;
use crate::style_sheet::StyleSheetError;

messages! {
    /// Reason why a fetch failed, or why a feed cannot be subscribed to. There is a variant for
    /// each case that calls for a different reaction; none contains a resolved IP address or a response body.
    pub enum FeedError("feed-error") {
        /// The address of an imported feed is invalid.
        BadAddress("bad_address") { problem: AddressError } => "{problem}",
        /// The user name or password in the address of an imported feed is invalid.
        BadCredentials("bad_credentials") { problem: CredentialsError } => "{problem}",
        /// No request was sent: the host name belongs to a private network.
        PrivateName("private_name") => "Lede may not connect there: the host name is one of a private network",
        /// No request was sent: at least one address of the host is not public.
        PrivateAddress("private_address") => "Lede may not connect there: the host is not on the public internet",
        /// No request was sent: the port is not allowed.
        ClosedPort("closed_port") { port: u16 } => "Lede may not connect there: port {port} is not open for this kind of request",
        /// A redirect to an invalid address.
        BadTarget("bad_target") { problem: AddressError } => "the site points to an address that cannot be followed: {problem}",
        /// A redirect from https to http for a request with a password.
        Unencrypted("unencrypted") => "the site redirects to an address without encryption, and the password kept for this feed may not go there",
        /// A long chain of redirects, or a loop.
        TooManyRedirects("too_many_redirects") { most: usize } => "the site redirected more than {most} times",
        /// A redirect without `Location`.
        RedirectToNowhere("redirect_to_nowhere") => "the site redirected without saying where to",
        /// The name has no address, or the resolver failed.
        UnknownHost("unknown_host") => "the host name could not be resolved",
        /// The connection was refused or lost.
        NoConnection("no_connection") => "no connection to the server",
        /// The certificate is for another host.
        CertificateName("certificate_name") => "no secure connection to the server: its certificate is for another name",
        /// The certificate has expired or is not valid yet.
        CertificateTime("certificate_time") => "no secure connection to the server: its certificate is not valid at this time",
        /// The certificate was not issued by a trusted authority.
        CertificateIssuer("certificate_issuer") => "no secure connection to the server: its certificate was issued by an unknown authority",
        /// Another TLS error.
        NoEncryption("no_encryption") => "no secure connection to the server: the encryption could not be agreed on",
        /// Timeout of the name resolution.
        SlowName("slow_name") { seconds: String } => "resolving the host name took longer than {seconds} s",
        /// Timeout of the connection.
        SlowConnection("slow_connection") { seconds: String } => "connecting to the server took longer than {seconds} s",
        /// Timeout of the TLS handshake.
        SlowEncryption("slow_encryption") { seconds: String } => "securing the connection took longer than {seconds} s",
        /// Timeout of the response headers.
        SlowAnswer("slow_answer") { seconds: String } => "waiting for the server's answer took longer than {seconds} s",
        /// Timeout of the whole request.
        SlowRequest("slow_request") { seconds: String } => "the whole request took longer than {seconds} s",
        /// The body arrives below the minimum rate.
        SlowBody("slow_body") => "the server sends too slowly",
        LargeHeaders("large_headers") => "the answer has too many or too long headers",
        LargeBody("large_body") { bytes: u64 } => "the answer is larger than {bytes} bytes",
        /// The body exceeds the limit on the compression ratio.
        AbsurdBody("absurd_body") => "the answer unpacks to an absurd size",
        /// 304 in response to a request without validators.
        UnexpectedNotModified("unexpected_not_modified") => "the server answered 304 Not Modified to a request without a condition",
        /// An unsuccessful response, with its status line.
        Answered("answered") { status: String } => "the server answered {status}",
        /// The connection closed before the end of the body.
        Truncated("truncated") => "the transfer broke off before the end",
        /// The body cannot be decompressed.
        BadPacking("bad_packing") => "the server's compression could not be undone",
        /// A content coding that is not supported and was not requested.
        UnknownPacking("unknown_packing") { name: String } => "the server's answer is compressed in an unknown way ({name})",
        NotHttp("not_http") => "the server's answer is not valid HTTP",
        /// The site requires visitors to prove that they are human.
        BotWall("bot_wall") { name: String } => "the site is behind a bot wall ({name}) that turns feed readers away",
        /// The queue for this host is full.
        Busy("busy") => "too many requests to this host are waiting; it will be tried again later",
        Empty("empty") => "the server sent an empty document",
        /// An HTML page instead of a feed.
        IsPage("is_page") => "the address leads to a web page, not to a feed",
        /// JSON that is not a feed.
        IsJson("is_json") => "the address leads to a JSON document, not to a feed",
        /// An OPML subscription list.
        IsList("is_list") => "the address leads to a subscription list (OPML), not to a feed",
        /// XML that is not a feed.
        IsXml("is_xml") => "the address leads to an XML document of another kind, not to a feed",
        /// An unknown format.
        IsOther("is_other") => "the address leads to something else, not to a feed",
        /// The document starts like JSON but has a syntax error.
        BadJson("bad_json") { reason: String } => "the document is JSON that cannot be read: {reason}",
        /// An HTML page has replaced the feed.
        PageNow("page_now") => "the address leads to a web page, not a feed; it links to no feed",
        /// The same, and the page links to one feed.
        PageWithFeed("page_with_feed") { feed: String } => "the address leads to a web page, not a feed; it links to this feed: {feed}",
        /// The same, and the page links to several feeds.
        PageWithFeeds("page_with_feeds") { feeds: String } => "the address leads to a web page, not a feed; it links to these feeds: {feeds}",
        /// Timeout of the parser.
        TooComplicated("too_complicated") { seconds: u64 } => "the document could not be read within {seconds} s",
        /// The parser failed because of a bug in Lede.
        Broken("broken") => "the document made the reader fail; please report its address",
        /// Neither the address nor the page there has a feed.
        NoFeedFound("no_feed_found") => "there is no feed at that address, and the page there points to none",
        /// The file of a subscription list is truncated.
        ListCut("list_cut") => "the file ends in the middle; what comes after is missing",
        /// An earlier entry of the subscription list has the same address.
        ListedTwice("listed_twice") => "it is in the list more than once",
        /// The user has reached the maximum number of subscriptions.
        ListFull("list_full") { most: i64 } => "you follow {most} feeds, which is the limit here",
        /// Viewers may only subscribe to existing feeds.
        NotAllowed("not_allowed") => "your account may follow feeds that are known here, but not add new ones",
        /// The feed is fetched with another user's credentials.
        PrivateToOther("private_to_other") => "this address is read with somebody's password here, and only that person may follow it",
        /// The password would give the other subscribers access.
        FollowedByOthers("followed_by_others") => "others follow this address here too, so that it cannot be read with your password",
        /// The credentials were encrypted with another secret, or for another feed.
        AccessUnreadable("access_unreadable") => "the password kept for this feed can no longer be read because the instance's secret changed: enter it again",
        /// Stored by another version.
        Unknown("unknown") => "it failed for a reason that this version of Lede does not know",
    }
}

impl StoredMessage for FeedError {
    const UNKNOWN: Self = Self::Unknown;
}

impl From<TypedError> for FeedError {
    fn from(error: TypedError) -> Self {
        match error {
            TypedError::Address(problem) => Self::BadAddress { problem },
            TypedError::Access(_, problem) => Self::BadCredentials { problem },
        }
    }
}

messages! {
    /// Reason why an entry of an imported data export is skipped.
    pub enum EntryError("entry-error") {
        /// The entry is not what the format asks for, with the message of the JSON parser.
        Unreadable("unreadable") { reason: String } => "{reason}",
        /// The address of the feed is invalid.
        BadAddress("bad_address") { problem: AddressError } => "{problem}",
        /// The feed cannot be subscribed to.
        BadFeed("bad_feed") { error: FeedError } => "{error}",
        BadService("bad_service") { problem: ShareTargetError } => "{problem}",
        BadStyleSheet("bad_style_sheet") { problem: StyleSheetError } => "{problem}",
        /// The text size or line length is not among those that are offered.
        UnknownLook("unknown_look") => "the size or the width of the text is none that can be chosen",
        NoName("no_name") => "its name is empty",
        LongName("long_name") { most: usize } => "its name is longer than {most} characters",
        BadQuery("bad_query") { problem: QueryError } => "its query {problem}",
        BadCategoryName("bad_category_name") { problem: CategoryError } => "the category's name {problem}",
        BadLabelName("bad_label_name") { problem: LabelError } => "the label's name {problem}",
        BadTitle("bad_title") => "its title must have at most {MAX_OWN_TITLE_CHARS} characters, and no control characters",
        /// The path of the category is empty or too deep.
        BadDepth("bad_depth") { most: usize } => "a category stands one to {most} levels deep",
        ManyCategories("many_categories") { most: usize } => "you have {most} categories, which is the limit",
        ManyLabels("many_labels") { most: usize } => "you have {most} labels, which is the limit",
        ManySearches("many_searches") { most: i64 } => "you keep {most} searches, which is the limit",
        ManyRules("many_rules") { most: i64 } => "you have {most} rules, which is the limit",
        /// A rule for a category that was not imported.
        NoCategory("no_category") => "its category is not there",
        /// A rule with a label that was not imported.
        NoLabel("no_label") => "its label is not there",
        /// A rule without a condition.
        NoCondition("no_condition") => "it does not say which items it is about",
        /// A rule without an action.
        NoAction("no_action") => "it does nothing",
        /// The item would not be visible to the user.
        NotFollowed("not_followed") => "you do not follow its feed here",
        /// No item can have this key.
        BadKey("bad_key") => "its key is none that Lede makes",
        /// The content could not be parsed.
        BadText("bad_text") => "its text could not be read",
        /// Viewers may not add data that other users see.
        NotAllowed("not_allowed") => "it is not here, and your account may not add to what others share",
    }
}
