# One's own account and settings.
role-admin = 管理者
role-member = メンバー
role-viewer = 閲覧者
account-title = アカウント
account-heading = あなたのアカウント
account-role = サインイン中 ({ $role }):
account-linked = { $provider } と連携済みです。サインインに使えます。
account-link = { $provider } と連携する
sign-out = サインアウト
account-delete = アカウントを削除
account-delete-text = フィードの一覧、既読、スターはすぐに完全に削除されます。他の人が購読しているフィードはその人のために残ります。
account-delete-button = アカウントを完全に削除する
account-api = API
