//! Mapping of use-case errors to API errors.
//!
//! Each function defines the status, the stable code and the advice; pages translate by the code.

use axum::http::StatusCode;
use lede_core::accounts::{LeaveError, SignInError};
use lede_core::categories::OrganiseError;
use lede_core::labels::LabellingError;
use lede_core::opml::ImportError;
use lede_core::rules::RuleError;
use lede_core::search::SearchError;
use lede_core::subscribe::SubscribeError;
use lede_core::takeout;
use lede_model::category::CategoryError;
use lede_model::feed_error::FeedError;
use lede_model::import::OpmlError;
use lede_model::input::InputError;
use lede_model::label::LabelError;

use super::{ApiError, Category};
use crate::input::opml::ListSource;

/// Maps an error of following or fetching a feed, or of changing a subscription.
pub(crate) fn subscribe_error(error: SubscribeError) -> ApiError {
    let (message, feed_error) = (error.to_string(), error.feed_error());
    let wants_access = error.wants_access();
    let api_error = match error {
        SubscribeError::Store(error) => error.into(),
        SubscribeError::Access(part, error) => ApiError::invalid(part.as_str(), error),
        SubscribeError::PrivateToOther => ApiError::conflict(
            "feed_is_private",
            message,
            "Ask the publisher for an address of your own, and add that one.",
        ),
        SubscribeError::FollowedByOthers => ApiError::conflict(
            "feed_is_shared",
            message,
            "Ask the publisher for an address of your own, with a key in it, and add that one.",
        ),
        SubscribeError::Fetch(_) if wants_access => ApiError::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "access_needed",
            Category::Feed,
            message,
            "The site asks for a user name and password, or blocks feed readers. If you have them, enter them.",
        ),
        SubscribeError::NoSuchCategory => ApiError::not_found("The category"),
        SubscribeError::Address(error) => ApiError::invalid("url", error),
        SubscribeError::Refused(_) => ApiError::new(
            StatusCode::BAD_REQUEST,
            "refused_address",
            Category::Validation,
            message,
            "Use a public web address. Your administrator can allow an address on the local network with FETCH_ALLOW.",
        ),
        SubscribeError::Fetch(_) => ApiError::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "fetch_failed",
            Category::Feed,
            message,
            "Open the address in a browser to see whether the site answers, or try again later.",
        ),
        SubscribeError::NoFeedFound | SubscribeError::Unreadable(_) => ApiError::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "no_feed_found",
            Category::Feed,
            message,
            "Look for a link called RSS, Atom or Feed on the site, and add that address.",
        ),
        SubscribeError::AlreadyFollowing => ApiError::conflict(
            "already_subscribed",
            message,
            "You will find it in your list.",
        ),
        SubscribeError::LimitReached(_) => ApiError::conflict(
            "subscription_limit",
            message,
            "Unsubscribe from a feed that you no longer read, or ask your administrator to raise MAX_SUBSCRIPTIONS.",
        ),
        SubscribeError::FetchedElsewhere => ApiError::conflict(
            "fetch_under_way",
            message,
            "Wait a moment and look at the feed again: what the other request finds appears there.",
        ),
        SubscribeError::MayNotRestart => {
            ApiError::forbidden(message, "Ask an administrator to restart the feed.")
        }
        SubscribeError::NotAllowed => ApiError::forbidden(
            message,
            "Ask an administrator to add the feed or to change your role.",
        ),
    };
    api_error.with_message(feed_error)
}

/// Maps an error of importing a subscription list.
pub(crate) fn import_error(error: ImportError, source: ListSource) -> ApiError {
    let message = error.to_string();
    match error {
        ImportError::Store(error) => error.into(),
        ImportError::FeedInput(error) => subscribe_error(error),
        ImportError::Fetch(error) => ApiError::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "fetch_failed",
            Category::Feed,
            message,
            "Open the address in a browser to see whether the site answers, or try again later.",
        )
        .with_message(Some(FeedError::from(&error))),
        ImportError::TooLarge => ApiError::new(
            match source {
                ListSource::Upload => StatusCode::PAYLOAD_TOO_LARGE,
                ListSource::Address => StatusCode::UNPROCESSABLE_ENTITY,
            },
            "too_large",
            Category::Validation,
            message,
            "Check that it is a subscription list; a longer one can be split into several files.",
        ),
        ImportError::TooManyLines => {
            let most = lede_core::opml::MAX_LINES;
            ApiError::invalid(source.field(), OpmlError::TooManyLines { most })
        }
        ImportError::NotAList(error) => ApiError::invalid(source.field(), error),
        ImportError::Unreadable => ApiError::invalid(source.field(), OpmlError::TooSlow),
    }
}

/// Maps an error of changing categories.
pub(crate) fn organise_error(error: OrganiseError) -> ApiError {
    let message = error.to_string();
    match error {
        OrganiseError::Store(error) => error.into(),
        OrganiseError::NoSuchCategory => ApiError::not_found("The category"),
        OrganiseError::NoSuchSubscription => ApiError::not_found("The subscription"),
        OrganiseError::Category(error) => match error {
            CategoryError::NameLength | CategoryError::NameCharacter => {
                ApiError::invalid("name", error)
            }
            CategoryError::Cycle | CategoryError::TooDeep => ApiError::invalid("parent_id", error),
            CategoryError::NameTaken => {
                ApiError::conflict("category_exists", message, "Choose another name.")
                    .with_message(Some(error))
            }
            CategoryError::TooMany { .. } => ApiError::conflict(
                "category_limit",
                message,
                "Remove a category that you no longer need.",
            )
            .with_message(Some(error)),
        },
    }
}

/// Maps an error of creating or changing a rule.
pub(crate) fn rule_error(error: RuleError) -> ApiError {
    let message = error.to_string();
    match error {
        RuleError::Store(error) => error.into(),
        RuleError::Query(error) => ApiError::invalid("query", error),
        RuleError::NoCondition => ApiError::invalid("query", InputError::NoCondition),
        RuleError::NoAction => ApiError::invalid("actions", InputError::NoAction),
        RuleError::Label(error) => label_error("label", "The label", error.into()),
        RuleError::UnknownFeed => ApiError::not_found_in("feed_id", "The feed", message),
        RuleError::UnknownCategory => {
            ApiError::not_found_in("category_id", "The category", message)
        }
        RuleError::TooMany => ApiError::conflict(
            "rule_limit",
            message,
            "Remove a rule that you no longer need.",
        ),
    }
}

/// Maps an error of changing labels; `field` holds the names, `absent` names the object that was not
/// found.
pub(crate) fn label_error(field: &'static str, absent: &str, error: LabellingError) -> ApiError {
    let message = error.to_string();
    match error {
        LabellingError::Store(error) => error.into(),
        LabellingError::Absent => ApiError::not_found(absent),
        LabellingError::Label(error) => match error {
            LabelError::NameLength { .. }
            | LabelError::NameCharacter
            | LabelError::TooManyOnItem { .. } => ApiError::invalid(field, error),
            LabelError::NameTaken => {
                ApiError::conflict("label_exists", message, "Choose another name.")
                    .with_message(Some(error))
            }
            LabelError::TooMany { .. } => ApiError::conflict(
                "label_limit",
                message,
                "Remove a label that you no longer need.",
            )
            .with_message(Some(error)),
        },
    }
}

/// Maps an error of a search or of saving one; `field` holds the query.
pub(crate) fn search_error(field: &'static str, error: SearchError) -> ApiError {
    match error {
        SearchError::Store(error) => error.into(),
        SearchError::Query(error) => ApiError::invalid(field, error),
        SearchError::TooMany => ApiError::conflict(
            "saved_search_limit",
            error.to_string(),
            "Remove a search that you no longer need.",
        ),
    }
}

/// Maps an error of signing in with a password.
pub(crate) fn sign_in_error(error: SignInError) -> ApiError {
    match error {
        SignInError::WrongCredentials => ApiError::new(
            StatusCode::UNAUTHORIZED,
            "wrong_credentials",
            Category::Auth,
            error.to_string(),
            "Check both and try again.",
        ),
        SignInError::Store(error) => error.into(),
    }
}

/// Maps an error of deleting an account.
pub(crate) fn leave_error(error: LeaveError) -> ApiError {
    let message = error.to_string();
    let action = match error {
        LeaveError::Store(error) => return error.into(),
        LeaveError::LastAdmin => "Make someone else an administrator first.",
        LeaveError::Owner => "Stop Lede and remove its database instead.",
    };
    ApiError::new(
        StatusCode::CONFLICT,
        "cannot_leave",
        Category::Auth,
        message,
        action,
    )
}

/// Maps an error of importing a take-out.
pub(crate) fn takeout_error(error: takeout::ImportError) -> ApiError {
    match error {
        takeout::ImportError::Document(_) => ApiError::bad_request(format!("{error}.")),
        takeout::ImportError::Store(error) => error.into(),
    }
}
