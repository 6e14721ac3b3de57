# One's own account and settings.
role-admin = administrator
role-member = member
role-viewer = viewer
account-title = Account
account-heading = Your account
account-role = You are signed in ({ $role }) as
account-linked = { $provider } is linked: you can sign in with it.
account-link = Link { $provider }
sign-out = Sign out
account-delete = Delete the account
account-delete-text = Your feeds list, your marks and your stars go at once and for good. Feeds that others follow stay for them.
account-delete-button = Delete my account for good
account-api = API
