//! Sentences that a site adds to its articles: cookie notices, invitations to subscribe, bylines,
//! datelines, credits of pictures and links to other articles. They say nothing about the article.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::language::{is_unspaced, lower_case_into};

/// Maximum length in characters of a sentence that a phrase makes boilerplate. Longer ones that
/// contain it are usually about the subject: an article on cookie banners.
const MAX_CHARS: usize = 220;
/// The same for a sentence that begins with such a phrase.
const MAX_OPENED_CHARS: usize = 140;
/// Maximum number of words of a byline or a dateline.
const MAX_BYLINE_WORDS: usize = 8;
/// Minimum number of letters in a sentence.
const MIN_LETTERS: usize = 3;

/// Beginnings of sentences, in lower case, separated by `|`.
const BEGINNINGS: &[&str] = &[
    // English
    "read more|read also|read next|read the full|read the rest|read:|also read|\
     see also|see more|sign up|sign in|log in|subscribe|share this|share on|\
     share your|follow us|follow me|click here|click to|click on|tap here|\
     continue reading|keep reading|related:|related articles|related stories|\
     related topics|more on this|more from|photo:|photos:|\
     photo by|photograph:|photo credit|image:|image credit|image via|image by|\
     picture:|getty images|credit:|video:|watch:|listen:|listen to this|\
     scroll down|scroll to|published:|published on|updated:|last updated|posted by|\
     posted on|posted in|filed under|tags:|comments (|leave a comment|\
     view comments|all rights reserved|copyright ©|©|skip to|get the latest|\
     thanks for reading|thank you for reading|download our app|download the app|\
     support our|become a member|story continues below|this article first appeared|\
     this article was originally|this story was originally|originally published",
    // German
    "lesen sie|lies auch|mehr lesen|mehr zum thema|weiterlesen|jetzt abonnieren|\
     jetzt anmelden|abonnieren sie|foto:|bild:|quelle:|\
     hier klicken|zum thema|teilen sie|folgen sie uns|zur startseite",
    // French
    "lire aussi|lire la suite|à lire aussi|abonnez-vous|inscrivez-vous|partager sur|partagez |\
     suivez-nous|cliquez ici|crédit photo|crédit :|photo :|voir aussi",
    // Spanish
    "leer más|lee también|lea también|suscríbete|suscríbase|regístrate|comparte esta|\
     comparte este|compartir en|síguenos|haz clic|te puede interesar|\
     te recomendamos|más información",
    // Portuguese
    "leia mais|leia também|saiba mais|inscreva-se|assine|compartilhe|siga-nos|\
     clique aqui|veja também|crédito:|continua depois da publicidade",
    // Italian
    "leggi anche|leggi tutto|continua a leggere|iscriviti|abbonati|condividi su|\
     seguici|clicca qui",
    // Dutch, Danish, Norwegian, Swedish, Polish, Russian
    "lees ook|lees meer|lees verder|meld je aan|klik hier|beeld:|\
     læs også|læs mere|tilmeld dig|les også|les mer|läs också|läs mer|\
     läs även|czytaj też|czytaj także|czytaj więcej|zobacz także|fot.|\
     читайте также|читать далее|подписывайтесь|подпишитесь|фото:",
    // Chinese, Japanese and Korean
    "続きを読む|続きはこちら|関連記事|あわせて読みたい|画像：|写真：|写真=|写真＝|出典：|阅读全文|阅读更多|点击查看|责任编辑|图片来源|图源|\
     来源：|更多精彩|閱讀更多|관련기사|사진=|더 보기|무단 전재",
];

/// Whole sentences, likewise.
const LABELS: &str = "advertisement|sponsored|newsletter|share|comments|anzeige|teilen|publicité|partager|\
    publicidad|compartir|publicidade|compartilhar|pubblicità|condividi|advertentie|annonce|annons|\
    reklama|реклама|広告|广告|광고";

/// Phrases at any position of a short sentence, likewise.
const PHRASES: &[&str] = &[
    "we use cookies|uses cookies|use of cookies|cookie policy|accept cookies|\
     privacy policy|terms of use|terms of service|our newsletter|\
     newsletter delivered|sign up for|subscribe to our|to your inbox|in your inbox|\
     appeared first on|contributed to this report|contributed to this story|\
     follow us on|share this article|enable javascript|all rights reserved|\
     click here|may earn a commission|affiliate commission|\
     email address will not be published|verwendet cookies|verwenden cookies|\
     alle rechte vorbehalten|erschien zuerst auf|utilise des cookies|\
     utilisons des cookies|tous droits réservés|est apparu en premier|\
     utilizamos cookies|utiliza cookies|todos los derechos reservados|\
     apareció primero en|usamos cookies|usa cookies|todos os direitos reservados|\
     apareceu primeiro em|utilizza cookie|utilizziamo cookie|\
     tutti i diritti riservati|gebruikt cookies|bruger cookies|\
     informasjonskapsler|wszelkie prawa zastrzeżone|использует файлы cookie|\
     все права защищены|クッキーを使用|無断転載|版权所有|转载请注明",
];

static BEGINNING_LIST: LazyLock<Vec<&str>> =
    LazyLock::new(|| BEGINNINGS.iter().flat_map(|list| list.split('|')).collect());

/// Finds all phrases in one pass, since every sentence is searched.
static PHRASE_SEARCH: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let phrases = PHRASES.iter().flat_map(|list| list.split('|'));
    AhoCorasick::new(phrases).expect("the phrases are few")
});

/// Returns `true` if `sentence` is not part of the article. `lower` is a buffer that callers reuse.
pub(super) fn is_boilerplate(sentence: &str, lower: &mut String) -> bool {
    let mut letters = 0;
    let mut chars = 0;
    for c in sentence.chars() {
        chars += 1;
        letters += usize::from(c.is_alphabetic());
    }
    if letters < MIN_LETTERS {
        return true;
    }
    if chars > MAX_CHARS {
        return false;
    }
    lower_case_into(sentence, lower);
    let opening = lower.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '©');
    let label = opening.trim_end_matches(|c: char| !c.is_alphanumeric());
    let mut beginnings = BEGINNING_LIST.iter();
    chars <= MAX_OPENED_CHARS && beginnings.any(|phrase| begins_with(opening, phrase))
        || PHRASE_SEARCH.is_match(lower.as_str())
        || LABELS.split('|').any(|word| word == label)
        || is_byline(sentence)
        || is_dateline(sentence)
        || is_navigation(sentence)
        || is_address(sentence)
}

/// Returns `true` if `sentence` begins with `phrase`, which may not end inside a word.
fn begins_with(sentence: &str, phrase: &str) -> bool {
    // Most phrases differ in the first byte, which is compared much faster.
    if sentence.as_bytes().first() != phrase.as_bytes().first() {
        return false;
    }
    sentence.strip_prefix(phrase).is_some_and(|rest| {
        let is_inside_word = phrase.ends_with(|c: char| c.is_alphabetic() && !is_unspaced(c))
            && rest.starts_with(char::is_alphabetic);
        !is_inside_word
    })
}

/// "By Jane Doe", "Von Jane Doe": a preposition and names, without an end mark.
fn is_byline(sentence: &str) -> bool {
    const PREPOSITIONS: [&str; 6] = ["by", "von", "par", "por", "door", "af"];
    let body = sentence.trim_end_matches([' ', '.', '|', '-']);
    let mut words = body.split_whitespace();
    let is_by = words
        .next()
        .is_some_and(|word| PREPOSITIONS.contains(&word.to_lowercase().as_str()));
    is_by
        && body.split_whitespace().count() <= MAX_BYLINE_WORDS
        && words.all(|word| {
            word.chars().next().is_some_and(|c| !c.is_lowercase())
                || matches!(
                    word,
                    "and" | "und" | "et" | "y" | "e" | "en" | "og" | "de" | "van" | "for"
                )
        })
}

/// A date or a time and little else: "25 October 2013", "14:11 EST". Dates in other scripts have no
/// capital letters by which they could be told from sentences.
fn is_dateline(sentence: &str) -> bool {
    if !sentence.is_ascii() || sentence.ends_with(['!', '?']) {
        return false;
    }
    let (mut words, mut numbers) = (0, 0);
    for word in sentence.split(|c: char| !c.is_ascii_alphanumeric() && c != ':') {
        if word.starts_with(|c: char| c.is_ascii_lowercase()) || words > MAX_BYLINE_WORDS {
            return false;
        }
        words += usize::from(!word.is_empty());
        numbers += usize::from(word.starts_with(|c: char| c.is_ascii_digit()));
    }
    numbers * 3 >= words
}

/// Links in a row: "Home | News | Sport".
fn is_navigation(sentence: &str) -> bool {
    const MIN_SEPARATORS: usize = 2;
    let separators = sentence.matches(" | ").count() + sentence.matches(" » ").count();
    separators >= MIN_SEPARATORS || sentence.matches('#').count() > MIN_SEPARATORS
}

/// One address and nothing else.
fn is_address(sentence: &str) -> bool {
    (sentence.starts_with("http://")
        || sentence.starts_with("https://")
        || sentence.starts_with("www."))
        && !sentence.contains(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn additions_of_the_site_are_recognised() {
        for (sentence, expected) in [
            ("We use cookies to improve your experience.", true),
            ("Read more", true),
            ("» Read more about the harbour.", true),
            ("Sign up for our daily newsletter!", true),
            ("Share this article on Mastodon", true),
            ("By Jane Doe and John Roe", true),
            ("Von Jana Muster", true),
            ("25 October 2013, 14:11 EST", true),
            ("Photo: Jane Doe/Agency", true),
            (
                "The post Harbour closed appeared first on The Example.",
                true,
            ),
            ("Home | News | Sport", true),
            ("https://www.example.org/harbour", true),
            ("***", true),
            ("— Advertisement —", true),
            ("Lire aussi : le port est fermé", true),
            ("続きを読む", true),
            ("The harbour is closed until Monday.", false),
            ("By Monday the harbour had lost three ferries.", false),
            ("Subscribers of the ferry line wait.", false),
            ("Advertisement prices have doubled.", false),
            ("In 2013, 25 ships sank.", false),
            ("港は月曜日まで閉鎖されます。", false),
            ("Читатели ждут.", false),
        ] {
            assert_eq!(
                is_boilerplate(sentence, &mut String::new()),
                expected,
                "{sentence}"
            );
        }
    }

    #[test]
    fn an_article_about_cookies_is_not_boilerplate() {
        let sentence = "The regulator fined the publisher because its site uses cookies before visitors agree, which a \
                        court had called unlawful two years ago, and ordered it to remove the notice that covered the page \
                        and all of the copies that it had made.";
        assert!(!is_boilerplate(sentence, &mut String::new()));
    }
}
