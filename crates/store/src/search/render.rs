//! Translation of queries into the engines' query languages.
//!
//! Queries are built from words only. Words consist of letters and digits, so none can be mistaken
//! for an operator of either language. One limitation is PostgreSQL's: it stores the first 256
//! positions of each word of an item, so a phrase that starts with a more frequent word may be
//! missed further down.

use lede_model::search::{Part, Query, Term};

use crate::engine::Engine;

/// Renders the required terms together with the excluded ones; `None` if no terms are required.
pub(super) fn wanted(engine: Engine, query: &Query) -> Option<String> {
    if query.groups().is_empty() {
        return None;
    }
    let groups = query.groups().iter().map(|group| any_of(engine, group));
    let groups: Vec<String> = groups.collect();
    let mut text = groups.join(match engine {
        Engine::Sqlite => " AND ",
        Engine::Postgres => " & ",
    });
    if let Some(unwanted) = unwanted(engine, query) {
        text = match engine {
            Engine::Sqlite => format!("({text}) NOT {unwanted}"),
            Engine::Postgres => format!("{text} & !{unwanted}"),
        };
    }
    Some(text)
}

/// Renders the excluded terms.
pub(super) fn unwanted(engine: Engine, query: &Query) -> Option<String> {
    (!query.excluded().is_empty()).then(|| any_of(engine, query.excluded()))
}

fn any_of(engine: Engine, terms: &[Term]) -> String {
    let (each, or): (fn(&Term) -> String, _) = match engine {
        Engine::Sqlite => (fts5, " OR "),
        Engine::Postgres => (tsquery, " | "),
    };
    let terms: Vec<String> = terms.iter().map(each).collect();
    format!("({})", terms.join(or))
}

fn fts5(term: &Term) -> String {
    let part = match term.part() {
        Part::Any => "",
        Part::Title => "title : ",
        Part::Author => "author : ",
    };
    let star = if term.is_prefix() { " *" } else { "" };
    format!("{part}\"{}\"{star}", term.words().join(" "))
}

fn tsquery(term: &Term) -> String {
    let weight = match term.part() {
        Part::Any => "",
        Part::Title => "A",
        Part::Author => "B",
    };
    let last = term.words().len() - 1;
    let words = term.words().iter().enumerate().map(|(index, word)| {
        let star = if index == last && term.is_prefix() {
            "*"
        } else {
            ""
        };
        match (star, weight) {
            ("", "") => format!("'{word}'"),
            _ => format!("'{word}':{star}{weight}"),
        }
    });
    format!("({})", words.collect::<Vec<_>>().join(" <-> "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_built_anew_for_each_engine() {
        for (text, sqlite, postgres) in [
            ("Foo bar", r#"("foo") AND ("bar")"#, "(('foo')) & (('bar'))"),
            (
                "title:\"a bc\"* OR c -d -author:e",
                r#"((title : "a bc" * OR "c")) NOT ("d" OR author : "e")"#,
                "(('a':A <-> 'bc':*A) | ('c')) & !(('d') | ('e':B))",
            ),
            ("日本語", r#"("日本 本語")"#, "(('日本' <-> '本語'))"),
        ] {
            let query = Query::parse(text).unwrap();
            let rendered = |engine| wanted(engine, &query).unwrap();
            assert_eq!(rendered(Engine::Sqlite), sqlite);
            assert_eq!(rendered(Engine::Postgres), postgres);
        }
        let query = Query::parse("-a is:unread").unwrap();
        assert_eq!(wanted(Engine::Sqlite, &query), None);
        assert_eq!(unwanted(Engine::Postgres, &query).unwrap(), "(('a'))");
    }
}
