# Set-up, signing in and registering.
email = E-mail address
password = Password
password-help = At least 12 characters. A few unrelated words are good.
password-again = The same password again
passwords-differ = The two passwords differ.
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

oidc-another-way = Choose another way to sign in.
oidc-go-back = Go back and try again.
oidc-link-or-ask = Sign in with your password and link it on your account’s page, or ask whoever runs this Lede.
oidc-link = Sign in with your password and link the two on your account’s page.
oidc-confirm = Confirm your e-mail address there, or sign in with a password.
oidc-instead = Sign in with it instead.
oidc-later = Try again later, or sign in with a password.
