//! Errors of feeds that are shown to subscribers, and reasons why entries of an imported data
//! export were skipped.

use crate::said::sentences;

sentences! {
    /// Reason why a fetch failed, or why a feed cannot be subscribed to. There is a variant for
    /// each case that calls for a different reaction; none contains a resolved IP address or a response body.
    pub enum Trouble {
        /// No request was sent: the host name belongs to a private network.
        PrivateName = "Lede may not connect there: the host name is one of a private network",
        /// No request was sent: at least one address of the host is not public.
        PrivateAddress = "Lede may not connect there: the host is not on the public internet",
        /// No request was sent: the port is not allowed.
        ClosedPort { port: u16 } = "Lede may not connect there: port {port} is not open for this kind of request",
        /// A redirect to an invalid address, with the reason (`AddressError`).
        BadTarget { problem: String } = "the site points to an address that cannot be followed: {problem}",
        /// A redirect from https to http for a request with a password.
        Unencrypted = "the site redirects to an address without encryption, and the password kept for this feed may not go there",
        /// A long chain of redirects, or a loop.
        TooManyRedirects { most: usize } = "the site redirected more than {most} times",
        /// A redirect without `Location`.
        RedirectToNowhere = "the site redirected without saying where to",
        /// The name has no address, or the resolver failed.
        UnknownHost = "the host name could not be resolved",
        /// The connection was refused or lost.
        NoConnection = "no connection to the server",
        /// The certificate is for another host.
        CertificateName = "no secure connection to the server: its certificate is for another name",
        /// The certificate has expired or is not valid yet.
        CertificateTime = "no secure connection to the server: its certificate is not valid at this time",
        /// The certificate was not issued by a trusted authority.
        CertificateIssuer = "no secure connection to the server: its certificate was issued by an unknown authority",
        /// Another TLS error.
        NoEncryption = "no secure connection to the server: the encryption could not be agreed on",
        /// Timeout of the name resolution.
        SlowName { seconds: String } = "resolving the host name took longer than {seconds} s",
        /// Timeout of the connection.
        SlowConnection { seconds: String } = "connecting to the server took longer than {seconds} s",
        /// Timeout of the TLS handshake.
        SlowEncryption { seconds: String } = "securing the connection took longer than {seconds} s",
        /// Timeout of the response headers.
        SlowAnswer { seconds: String } = "waiting for the server's answer took longer than {seconds} s",
        /// Timeout of the whole request.
        SlowRequest { seconds: String } = "the whole request took longer than {seconds} s",
        /// The body arrives below the minimum rate.
        SlowBody = "the server sends too slowly",
        LargeHeaders = "the answer has too many or too long headers",
        LargeBody { bytes: u64 } = "the answer is larger than {bytes} bytes",
        /// The body exceeds the limit on the compression ratio.
        AbsurdBody = "the answer unpacks to an absurd size",
        /// 304 in response to a request without validators.
        UnexpectedNotModified = "the server answered 304 Not Modified to a request without a condition",
        /// An unsuccessful response, with its status line.
        Answered { status: String } = "the server answered {status}",
        /// The connection closed before the end of the body.
        Truncated = "the transfer broke off before the end",
        /// The body cannot be decompressed.
        BadPacking = "the server's compression could not be undone",
        /// A content coding that is not supported and was not requested.
        UnknownPacking { name: String } = "the server's answer is compressed in an unknown way ({name})",
        NotHttp = "the server's answer is not valid HTTP",
        /// The site requires visitors to prove that they are human.
        BotWall { name: String } = "the site is behind a bot wall ({name}) that turns feed readers away",
        /// The queue for this host is full.
        Busy = "too many requests to this host are waiting; it will be tried again later",
        Empty = "the server sent an empty document",
        /// An HTML page instead of a feed.
        IsPage = "the address leads to a web page, not to a feed",
        /// JSON that is not a feed.
        IsJson = "the address leads to a JSON document, not to a feed",
        /// An OPML subscription list.
        IsList = "the address leads to a subscription list (OPML), not to a feed",
        /// XML that is not a feed.
        IsXml = "the address leads to an XML document of another kind, not to a feed",
        /// An unknown format.
        IsOther = "the address leads to something else, not to a feed",
        /// The document starts like JSON but has a syntax error.
        BadJson { reason: String } = "the document is JSON that cannot be read: {reason}",
        /// An HTML page has replaced the feed.
        PageNow = "the address is a web page now, not a feed; it links to no feed",
        /// The same, and the page links to one feed.
        PageWithFeed { feed: String } = "the address is a web page now, not a feed; it links to this feed: {feed}",
        /// The same, and the page links to several feeds.
        PageWithFeeds { feeds: String } = "the address is a web page now, not a feed; it links to these feeds: {feeds}",
        /// Timeout of the parser.
        TooComplicated { seconds: u64 } = "the document could not be read within {seconds} s",
        /// The parser failed because of a bug in Lede.
        Broken = "the document made the reader fail; please report its address",
        /// Neither the address nor the page there has a feed.
        NoFeedFound = "there is no feed at that address, and the page there points to none",
        /// The file of a subscription list is truncated.
        ListCut = "the file ends in the middle; what comes after is missing",
        /// The user has reached the maximum number of subscriptions.
        ListFull { most: i64 } = "you follow {most} feeds, which is the limit here",
        /// Viewers may only subscribe to existing feeds.
        NotAllowed = "your account may follow feeds that are known here, but not add new ones",
        /// The feed is fetched with another user's credentials.
        KeptByOther = "this address is read with somebody's password here, and only that person may follow it",
        /// The password would give the other subscribers access.
        FollowedByOthers = "others follow this address here too, so that it cannot be read with your password",
        /// The credentials were encrypted with another secret, or for another feed.
        AccessUnreadable = "the password kept for this feed can no longer be read because the instance's secret changed: enter it again",
    }
}

sentences! {
    /// Reason why an entry of an imported data export is skipped, unless it cannot be parsed at all
    /// or its feed cannot be subscribed to ([`Trouble`], `AddressError`).
    pub enum EntryTrouble {
        /// The text size or line length is not among those that are offered.
        UnknownLook = "the size or the width of the text is none that can be chosen",
        NoName = "its name is empty",
        LongName { most: usize } = "its name is longer than {most} characters",
        /// The query is invalid, with the reason (`QueryError`).
        BadQuery { problem: String } = "its query {problem}",
        /// The name is invalid, with the reason (`CategoryError`).
        BadCategoryName { problem: String } = "the category's name {problem}",
        /// The name is invalid, with the reason (`LabelError`).
        BadLabelName { problem: String } = "the label's name {problem}",
        /// The title is invalid, with the reason.
        BadTitle { problem: String } = "its title {problem}",
        /// The path of the category is empty or too deep.
        BadDepth { most: usize } = "a category stands one to {most} levels deep",
        ManyCategories { most: usize } = "you have {most} categories, which is the limit",
        ManyLabels { most: usize } = "you have {most} labels, which is the limit",
        ManySearches { most: i64 } = "you keep {most} searches, which is the limit",
        ManyRules { most: i64 } = "you have {most} rules, which is the limit",
        /// A rule for a category that was not imported.
        NoCategory = "its category is not there",
        /// A rule with a label that was not imported.
        NoLabel = "its label is not there",
        /// A rule without a condition.
        NoCondition = "it does not say which items it is about",
        /// A rule without an action.
        NoAction = "it does nothing",
        /// The item would not be visible to the user.
        NotFollowed = "you do not follow its feed here",
        /// No item can have this key.
        BadKey = "its key is none that Lede makes",
        /// The content could not be parsed.
        BadText = "its text could not be read",
        /// Viewers may not add data that other users see.
        NotAllowed = "it is not here, and your account may not add to what others share",
    }
}
