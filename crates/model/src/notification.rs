//! Notifications: the channels that deliver them, and the state of a delivery.

use crate::ids::UserId;

/// Newest notifications of a user that are kept.
pub const MAX_PER_USER: i64 = 500;

/// A way in which notifications reach a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Channel {
    /// The bell of the web app, and the pages that are open.
    Web,
}

/// Channels that the keys of jobs have room for.
const CHANNELS: i64 = 16;

impl Channel {
    pub const ALL: [Self; 1] = [Self::Web];

    /// Returns the number used in rows.
    pub const fn as_i64(self) -> i64 {
        match self {
            Self::Web => 1,
        }
    }

    /// Returns the key of the job that delivers the notifications of `user` through this channel.
    pub const fn job_key(self, user: UserId) -> i64 {
        user.as_i64() * CHANNELS + self.as_i64()
    }

    /// Parses the result of [`Self::job_key`] into the number of the user and the channel. The
    /// number is no `UserId`: the user may be gone.
    pub fn from_job_key(key: i64) -> Option<(i64, Self)> {
        let channel = key.rem_euclid(CHANNELS);
        let channel = Self::ALL.into_iter().find(|own| own.as_i64() == channel)?;
        Some((key.div_euclid(CHANNELS), channel))
    }
}

/// State of a delivery. Reading is separate: a user can read an item before its notification is
/// delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    Pending,
    Delivered,
    /// The channel refused it permanently.
    Failed,
}

impl DeliveryState {
    /// Returns the number used in rows.
    pub const fn as_i64(self) -> i64 {
        match self {
            Self::Pending => 0,
            Self::Delivered => 1,
            Self::Failed => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the ids of a test")]
    fn a_job_key_names_one_user_and_channel() {
        assert!(Channel::ALL.iter().all(|own| own.as_i64() < CHANNELS));
        for user in [1, 15, 16, 1 << 40] {
            let key = Channel::Web.job_key(UserId::from_row(user));
            assert_eq!(Channel::from_job_key(key), Some((user, Channel::Web)));
        }
        assert_eq!(Channel::from_job_key(16), None);
    }
}
