//! Why a feed brought nothing, for the people who follow it, and why something of a take-out was left out.

use crate::said::sentences;

sentences! {
    /// Why an address brought nothing, or is not followed. A sentence for each thing that somebody would
    /// do differently about it; none has a resolved address or a body in it.
    pub enum Trouble {
        /// Nothing was sent: the name is of a kind that only private networks know.
        PrivateName = "Lede may not connect there: the host name is one of a private network",
        /// Nothing was sent: at least one address of the host is not public.
        PrivateAddress = "Lede may not connect there: the host is not on the public internet",
        /// Nothing was sent to that port.
        ClosedPort { port: u16 } = "Lede may not connect there: port {port} is not open for this kind of request",
        /// A redirect to what is no usable address, with what is wrong with it (`AddressError`).
        BadTarget { problem: String } = "the site points to an address that cannot be followed: {problem}",
        /// From https to http, with a password.
        Unencrypted = "the site redirects to an address without encryption, and the password kept for this feed may not go there",
        /// A chain of redirects, or a circle.
        TooManyRedirects { most: usize } = "the site redirected more than {most} times",
        /// A redirect without a target.
        RedirectToNowhere = "the site redirected without saying where to",
        /// The name has no address, or the resolver failed.
        UnknownHost = "the host name could not be resolved",
        /// Nobody took the connection, or it was lost.
        NoConnection = "no connection to the server",
        /// The certificate is for somebody else.
        CertificateName = "no secure connection to the server: its certificate is for another name",
        /// The certificate ran out or is not valid yet.
        CertificateTime = "no secure connection to the server: its certificate is not valid at this time",
        /// The certificate was signed by nobody we trust.
        CertificateIssuer = "no secure connection to the server: its certificate was issued by an unknown authority",
        /// Another problem of the encryption.
        NoEncryption = "no secure connection to the server: the encryption could not be agreed on",
        /// The resolver was too slow.
        SlowName { seconds: String } = "resolving the host name took longer than {seconds} s",
        /// The connection took too long.
        SlowConnection { seconds: String } = "connecting to the server took longer than {seconds} s",
        /// The encryption took too long.
        SlowEncryption { seconds: String } = "securing the connection took longer than {seconds} s",
        /// The answer did not begin in time.
        SlowAnswer { seconds: String } = "waiting for the server's answer took longer than {seconds} s",
        /// The answer did not end in time.
        SlowRequest { seconds: String } = "the whole request took longer than {seconds} s",
        /// The body trickled in.
        SlowBody = "the server sends too slowly",
        /// The headers are too large.
        LargeHeaders = "the answer has too many or too long headers",
        /// The body is too large.
        LargeBody { bytes: u64 } = "the answer is larger than {bytes} bytes",
        /// The body grew out of proportion while it was unpacked.
        AbsurdBody = "the answer unpacks to an absurd size",
        /// "Not modified" although nothing was compared.
        UnexpectedNotModified = "the server answered 304 Not Modified to a request without a condition",
        /// An answer that is no success, in the server's words.
        Answered { status: String } = "the server answered {status}",
        /// The transfer ended before the body did.
        Truncated = "the transfer broke off before the end",
        /// The body is not packed as the server says.
        BadPacking = "the server's compression could not be undone",
        /// A compression that we neither know nor asked for.
        UnknownPacking { name: String } = "the server's answer is compressed in an unknown way ({name})",
        /// What came is not HTTP.
        NotHttp = "the server's answer is not valid HTTP",
        /// The site asks visitors to prove that they are people.
        BotWall { name: String } = "the site is behind a bot wall ({name}) that turns feed readers away",
        /// We send so many requests there already.
        Busy = "too many requests to this host are waiting; it will be tried again later",
        /// Nothing came.
        Empty = "the server sent an empty document",
        /// A page where a feed should be.
        IsPage = "the address leads to a web page, not to a feed",
        /// JSON that is no feed.
        IsJson = "the address leads to a JSON document, not to a feed",
        /// A subscription list.
        IsList = "the address leads to a subscription list (OPML), not to a feed",
        /// XML that is no feed.
        IsXml = "the address leads to an XML document of another kind, not to a feed",
        /// Nothing that we know.
        IsOther = "the address leads to something else, not to a feed",
        /// It begins like JSON and then breaks the rules.
        BadJson { reason: String } = "the document is JSON that cannot be read: {reason}",
        /// There is a page where the feed was.
        PageNow = "the address is a web page now, not a feed; it links to no feed",
        /// The same, and the page has a feed.
        PageWithFeed { feed: String } = "the address is a web page now, not a feed; it links to this feed: {feed}",
        /// The same, and the page has several.
        PageWithFeeds { feeds: String } = "the address is a web page now, not a feed; it links to these feeds: {feeds}",
        /// Reading it was given up.
        TooComplicated { seconds: u64 } = "the document could not be read within {seconds} s",
        /// Reading it failed in a way that is our own fault.
        Broken = "the document made the reader fail; please report its address",
        /// Neither the address nor the page there has a feed.
        NoFeedFound = "there is no feed at that address, and the page there points to none",
        /// What a subscription list goes on with is not in the file.
        ListCut = "the file ends in the middle; what comes after is missing",
        /// The person follows as many feeds as are allowed.
        ListFull { most: i64 } = "you follow {most} feeds, which is the limit here",
        /// A viewer may only follow what is there.
        NotAllowed = "your account may follow feeds that are known here, but not add new ones",
        /// Only one person may follow it.
        KeptByOther = "this address is read with somebody's password here, and only that person may follow it",
        /// What a password opens would be there for all of them.
        FollowedByOthers = "others follow this address here too, so that it cannot be read with your password",
        /// It was sealed with another secret, or for another feed.
        AccessUnreadable = "the password kept for this feed can no longer be read because the instance's secret changed: enter it again",
    }
}

sentences! {
    /// Why an entry of a take-out is not brought in, unless it cannot be read at all or its feed cannot be
    /// followed ([`Trouble`], `AddressError`).
    pub enum EntryTrouble {
        /// The looks are not among those to choose from.
        UnknownLook = "the size or the width of the text is none that can be chosen",
        /// Nothing is left of the name.
        NoName = "its name is empty",
        /// There is too much of it.
        LongName { most: usize } = "its name is longer than {most} characters",
        /// With what is wrong with it (`QueryError`).
        BadQuery { problem: String } = "its query {problem}",
        /// With what is wrong with it (`CategoryError`).
        BadCategoryName { problem: String } = "the category's name {problem}",
        /// With what is wrong with it (`LabelError`).
        BadLabelName { problem: String } = "the label's name {problem}",
        /// With what is wrong with it.
        BadTitle { problem: String } = "its title {problem}",
        /// At the top of nothing, or too far down.
        BadDepth { most: usize } = "a category stands one to {most} levels deep",
        /// The person has enough categories.
        ManyCategories { most: usize } = "you have {most} categories, which is the limit",
        /// The person has enough labels.
        ManyLabels { most: usize } = "you have {most} labels, which is the limit",
        /// The person keeps enough searches.
        ManySearches { most: i64 } = "you keep {most} searches, which is the limit",
        /// The person has enough rules.
        ManyRules { most: i64 } = "you have {most} rules, which is the limit",
        /// A rule for a category that was not brought in.
        NoCategory = "its category is not there",
        /// A rule that gives a label that was not brought in.
        NoLabel = "its label is not there",
        /// A rule about everything.
        NoCondition = "it does not say which items it is about",
        /// A rule that does nothing.
        NoAction = "it does nothing",
        /// Nobody would see it.
        NotFollowed = "you do not follow its feed here",
        /// No item could ever be the one.
        BadKey = "its key is none that Lede makes",
        /// Reading the text was given up.
        BadText = "its text could not be read",
        /// A viewer adds nothing that others see.
        NotAllowed = "it is not here, and your account may not add to what others share",
    }
}
