# Names and things that every page has.
lede = Lede
motto = 要点を埋もれさせないニュース
to-reader = リーダーへ
skip = 本文へ移動
sections = セクション
section-reader = リーダー
section-dashboard = ダッシュボード
section-feeds = フィード
section-rules = ルール
section-settings = 設定
section-admin = 管理
failed = うまくいきませんでした

save = 保存
saved = 保存しました
close = 閉じる
cancel = キャンセル
delete = 削除
edit = 編集
add = 追加

not-here = ここには何もありません
    .text = アドレスが間違っているか、ここにあったものがなくなりました。

age-now = たった今
age-minutes = { $count }分前
age-hours = { $count }時間前
age-days = { $count }日前
ago-now = たった今
ago-minutes = { $count }分前
ago-hours = { $count }時間前
ago-days = { $count }日前
date-months = 1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月
date-months-short = 1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月
date-day = { $month }{ $day }日
date-day-year = { $year }年{ $month }{ $day }日
date-exact = { $year }年{ $month }{ $day }日 { $time } UTC
try-again = もう一度試す
unreachable = Ledeに接続できません。入力した内容はそのまま残っています。接続を確認して、もう一度お試しください。
offline-page = Ledeに接続できません
    .text = このページには接続が必要です。オフライン用に保存された記事は、接続がなくても読めます。
offline-read = 保存された記事を読む

bell = 通知
bell-read-all = すべて既読にする
bell-failed = 通知を読み込めませんでした。一覧を閉じて、もう一度開いてください。
bell-empty = 通知はありません
    .text = フィードの設定か、記事に一致するルールで通知をオンにできます。
browser-notifications-allow = このブラウザーで通知を許可
browser-notifications-granted = Ledeをタブで開いている間、このブラウザーに通知が表示されます。
browser-notifications-denied = このブラウザーはLedeの通知をブロックしています。ブラウザーのサイト設定で許可し、このページを再読み込みしてください。
browser-notifications-unsupported = ここではこのブラウザーの通知を使えません。通知に対応したブラウザーと、httpsのアドレスが必要です。
