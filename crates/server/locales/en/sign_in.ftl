# Set-up, signing in and registering.
email = E-mail address
password = Password
password-help = At least 12 characters. A few unrelated words work well.
password-again = Repeat the password
passwords-differ = The two passwords don’t match.
create-account = Create account

set-up-title = Set up Lede
set-up-heading = Welcome to Lede
set-up-intro = Create the first account and start reading. This account will also be the administrator.
set-up-code = Set-up code
set-up-code-help = Lede printed it in its log when it started. It’s needed because you aren’t on the machine itself.
set-up-wrong-code = That isn’t the set-up code. Lede printed it in its log when it started.

sign-in-title = Sign in
sign-in-heading = Good to see you
sign-in = Sign in
sign-in-or = or
sign-in-with = Continue with { $provider }
sign-in-no-account = No account yet?
sign-in-create = Create one

register-title = Create an account
register-privacy = I agree that this server stores my address, my feeds and what I’ve read until I delete my account.
register-has-one = Already have one?
privacy-needed = Please agree that Lede stores your address and what you read.
registration-closed = This server doesn’t accept new accounts
    .text = Ask your administrator for an account.

oidc-unknown = This way of signing in isn’t set up here.
    .text = Choose another way to sign in.
oidc-elsewhere = This sign-in was started somewhere else, or too long ago.
    .text = Go back and try again.
oidc-cancelled = Sign-in cancelled.
    .text = Go back and try again.
oidc-not-linked = This { $provider } account isn’t linked to an account here.
    .text = Sign in with your password and link it in your settings, or ask your administrator.
oidc-email-taken = There is already an account with this e-mail address.
    .text = Sign in with your password and link the two in your settings.
oidc-no-email = { $provider } didn’t confirm an e-mail address.
    .text = Confirm your e-mail address there, or sign in with a password.
oidc-linked = This { $provider } account is linked to another account here.
    .text = Sign in with it instead.
oidc-failed = { $provider } can’t be reached, or its answer can’t be trusted.
    .text = Try again later, or sign in with a password.
