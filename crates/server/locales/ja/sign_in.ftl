# Set-up, signing in and registering.
email = メールアドレス
password = パスワード
password-help = 12文字以上。関係のない言葉をいくつか並べるのがおすすめです。
password-again = パスワード(確認)
passwords-differ = 2つのパスワードが一致しません。
create-account = アカウントを作成

set-up-title = Lede のセットアップ
set-up-heading = ようこそ、あなたの Lede へ
set-up-intro = 最初のアカウントを作って読み始めましょう。このアカウントは Lede の管理も担います。
set-up-code = セットアップコード
set-up-code-help = Lede が起動時にログへ出力しました。同じマシンからのアクセスではないため入力が必要です。
set-up-wrong-code = セットアップコードが違います。Lede が起動時にログへ出力しています。

sign-in-title = サインイン
sign-in-heading = おかえりなさい
sign-in = サインイン
sign-in-or = または
sign-in-with = { $provider } で続ける
sign-in-no-account = アカウントをお持ちでない場合:
sign-in-create = 作成する

register-title = アカウントを作成
register-privacy = アカウントを削除するまで、このサーバーがメールアドレス・フィード・既読情報を保存することに同意します。
register-has-one = すでにお持ちの場合:
privacy-needed = メールアドレスと既読情報の保存に同意してください。
registration-closed = このサーバーでは新規登録を受け付けていません
    .text = 管理者にアカウントの作成を依頼してください。

oidc-unknown = この方法でのサインインは設定されていません。
    .text = 別の方法でサインインしてください。
oidc-elsewhere = このサインインは別の場所で始められたか、時間が経ちすぎています。
    .text = 戻ってもう一度お試しください。
oidc-cancelled = サインインは取り消されました。
    .text = 戻ってもう一度お試しください。
oidc-not-linked = この { $provider } アカウントは、ここのアカウントと連携していません。
    .text = パスワードでサインインしてアカウントページで連携するか、管理者に相談してください。
oidc-email-taken = このメールアドレスのアカウントはすでにあります。
    .text = パスワードでサインインし、アカウントページで連携してください。
oidc-no-email = { $provider } がメールアドレスを確認していません。
    .text = プロバイダー側でメールアドレスを確認するか、パスワードでサインインしてください。
oidc-linked = この { $provider } アカウントは、ここの別のアカウントと連携しています。
    .text = そちらでサインインしてください。
oidc-failed = { $provider } に接続できないか、応答が信頼できません。
    .text = しばらくしてからもう一度試すか、パスワードでサインインしてください。
