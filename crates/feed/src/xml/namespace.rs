//! XML namespaces of elements.
//!
//! Feeds misspell namespace URIs, forget to declare them, or declare them on the wrong element. The
//! URI decides if it is known; else the prefix does, because prefixes are used more consistently
//! than URIs.

/// Maximum number of namespaces in scope; further declarations are ignored.
const MAX_NAMESPACES: usize = 64;

/// Vocabularies that the mapper distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Namespace {
    /// RSS in all versions, Atom in all versions, CDF, and no namespace: their element names are
    /// shared.
    Core,
    Rdf,
    DublinCore,
    DublinCoreTerms,
    Content,
    Itunes,
    Media,
    Syndication,
    CommentApi,
    Slash,
    Feedburner,
    Xhtml,
    Svg,
    MathMl,
    Xml,
    Other,
}

use Namespace as N;

/// Namespace URIs without scheme and final `/` or `#`, in lower case.
const BY_ADDRESS: [(&str, Namespace); 31] = [
    ("www.w3.org/2005/atom", N::Core),
    ("purl.org/atom/ns", N::Core),
    ("purl.org/rss/1.0", N::Core),
    ("my.netscape.com/rdf/simple/0.9", N::Core),
    ("channel.netscape.com/rdf/simple/0.9", N::Core),
    ("blogs.law.harvard.edu/tech/rss", N::Core),
    ("purl.org/net/rss1.1", N::Core),
    ("purl.org/rss/1.0/modules/rss091", N::Core),
    ("example.com/newformat", N::Core),
    ("example.com/necho", N::Core),
    ("purl.org/echo", N::Core),
    ("uri/of/echo/namespace", N::Core),
    ("purl.org/pie", N::Core),
    ("www.w3.org/1999/02/22-rdf-syntax-ns", N::Rdf),
    ("purl.org/dc/elements/1.1", N::DublinCore),
    ("purl.org/dc/elements/1.0", N::DublinCore),
    ("purl.org/dc/terms", N::DublinCoreTerms),
    ("purl.org/rss/1.0/modules/content", N::Content),
    ("www.itunes.com/dtds/podcast-1.0.dtd", N::Itunes),
    ("example.com/dtds/podcast-1.0.dtd", N::Itunes),
    ("www.google.com/schemas/play-podcasts/1.0", N::Itunes),
    ("search.yahoo.com/mrss", N::Media),
    ("purl.org/rss/1.0/modules/syndication", N::Syndication),
    ("wellformedweb.org/commentapi", N::CommentApi),
    ("purl.org/rss/1.0/modules/slash", N::Slash),
    ("rssnamespace.org/feedburner/ext/1.0", N::Feedburner),
    ("www.w3.org/1999/xhtml", N::Xhtml),
    ("www.w3.org/2000/svg", N::Svg),
    ("www.w3.org/1998/math/mathml", N::MathMl),
    ("www.w3.org/xml/1998/namespace", N::Xml),
    ("", N::Core),
];

/// Meaning of a prefix that is not declared.
const BY_PREFIX: [(&str, Namespace); 19] = [
    ("atom", N::Core),
    ("a10", N::Core),
    ("rss", N::Core),
    ("rdf", N::Rdf),
    ("dc", N::DublinCore),
    ("dcterms", N::DublinCoreTerms),
    ("content", N::Content),
    ("itunes", N::Itunes),
    ("googleplay", N::Itunes),
    ("media", N::Media),
    ("sy", N::Syndication),
    ("wfw", N::CommentApi),
    ("slash", N::Slash),
    ("feedburner", N::Feedburner),
    ("xhtml", N::Xhtml),
    ("svg", N::Svg),
    ("math", N::MathMl),
    ("mml", N::MathMl),
    ("xml", N::Xml),
];

/// Normalises a namespace URI for comparison: lower case, no scheme, no final `/` or `#`.
pub(crate) fn normalized(address: &str) -> String {
    let lower = address.trim().to_ascii_lowercase();
    lower
        .trim_start_matches("http://")
        .trim_start_matches("https://")
        .trim_end_matches(['/', '#'])
        .to_owned()
}

fn of_address(address: &str) -> Option<Namespace> {
    let address = normalized(address);
    // Userland published a new URI with every version of RSS.
    if address.starts_with("backend.userland.com/rss") {
        return Some(N::Core);
    }
    BY_ADDRESS
        .iter()
        .find(|(known, _)| *known == address)
        .map(|(_, namespace)| *namespace)
}

fn of_prefix(prefix: &str) -> Option<Namespace> {
    BY_PREFIX
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(prefix))
        .map(|(_, namespace)| *namespace)
}

/// Declarations in scope, innermost last.
#[derive(Debug, Default)]
pub(crate) struct Scope<'a> {
    declared: Vec<(usize, &'a str, Namespace)>,
}

impl<'a> Scope<'a> {
    /// Records `xmlns:prefix="address"` on an element at `depth`.
    pub(crate) fn declare(&mut self, depth: usize, prefix: &'a str, address: &str) {
        if self.declared.len() == MAX_NAMESPACES {
            return;
        }
        let namespace = of_address(address)
            .or_else(|| of_prefix(prefix))
            // An unknown default namespace is a misspelt one: the elements are still RSS or Atom.
            .unwrap_or(if prefix.is_empty() { N::Core } else { N::Other });
        self.declared.push((depth, prefix, namespace));
    }

    /// Removes the declarations of elements at `depth` and deeper.
    pub(crate) fn leave(&mut self, depth: usize) {
        while self.declared.last().is_some_and(|(at, ..)| *at >= depth) {
            self.declared.pop();
        }
    }

    /// Splits a name as written into its namespace and its local part.
    pub(crate) fn resolve<'n>(&self, name: &'n str) -> (Namespace, &'n str) {
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        let declared = self
            .declared
            .iter()
            .rev()
            .find(|(_, known, _)| *known == prefix)
            .map(|(.., namespace)| *namespace);
        let namespace = declared.unwrap_or_else(|| {
            if prefix.is_empty() {
                N::Core
            } else {
                of_prefix(prefix).unwrap_or(N::Other)
            }
        });
        (namespace, local)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_known_by_address_first_and_by_prefix_else() {
        let mut scope = Scope::default();
        scope.declare(1, "", "http://www.w3.org/2005/Atom");
        scope.declare(1, "x", "HTTP://purl.org/dc/elements/1.1");
        scope.declare(1, "dc", "http://misspelt.example/");
        scope.declare(1, "mine", "http://mine.example/");
        scope.declare(2, "", "http://www.w3.org/1999/xhtml");
        let cases = [
            ("p", N::Xhtml, "p"),
            ("x:title", N::DublinCore, "title"),
            ("dc:title", N::DublinCore, "title"),
            ("mine:title", N::Other, "title"),
            ("itunes:author", N::Itunes, "author"),
            ("who:knows", N::Other, "knows"),
        ];
        for (name, namespace, local) in cases {
            assert_eq!(scope.resolve(name), (namespace, local), "{name}");
        }
        scope.leave(2);
        assert_eq!(scope.resolve("p"), (N::Core, "p"));
    }
}
