# Set-up, signing in and registering.
email = E-mail address
password = Password
password-help = At least 12 characters. A few unrelated words are good.
password-again = The same password again
passwords-differ = The two passwords differ.
password-too-short = The password needs at least 12 characters.
password-too-long = The password may have at most 256 characters.
password-common = The password is a common word with little around it; take a few unrelated words instead.
password-pattern = The password repeats or counts; take a few unrelated words instead.
password-like-email = The password is made of the e-mail address; take a few unrelated words instead.
create-account = Create the account

set-up-title = Set up Lede
set-up-heading = Welcome to your Lede
set-up-intro = Make the first account and start reading. It also looks after this Lede.
set-up-code = Set-up code
set-up-code-help = Lede printed it in its log when it started. You are asked because you are not on the machine itself.
set-up-wrong-code = That is not the set-up code. Lede printed it in its log when it started.

sign-in-title = Sign in
sign-in-heading = Good to see you
sign-in = Sign in
sign-in-or = or
sign-in-with = Continue with { $provider }
sign-in-no-account = No account yet?
sign-in-create = Create one

register-title = Create an account
register-privacy = I agree that this Lede keeps my address, my feeds and what I have read, until I delete my account.
register-has-one = You have one?
privacy-needed = Please agree that Lede keeps your address and what you read.
registration-closed = This Lede does not take new accounts
    .text = Ask whoever runs it for an account.

oidc-unknown = This sign-in is not configured here.
    .text = Choose another way to sign in.
oidc-elsewhere = This sign-in was begun elsewhere, or too long ago.
    .text = Go back and try again.
oidc-cancelled = The sign-in was cancelled.
    .text = Go back and try again.
oidc-not-linked = This { $provider } account is not linked to an account here.
    .text = Sign in with your password and link it on your account’s page, or ask whoever runs this Lede.
oidc-email-taken = There is an account with this e-mail address already.
    .text = Sign in with your password and link the two on your account’s page.
oidc-no-email = { $provider } did not confirm an e-mail address.
    .text = Confirm your e-mail address there, or sign in with a password.
oidc-linked = This { $provider } account is linked to another account here.
    .text = Sign in with it instead.
oidc-failed = { $provider } cannot be reached or gave an answer that cannot be trusted.
    .text = Try again later, or sign in with a password.
