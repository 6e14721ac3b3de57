# Messages of the model (crates/model/src/message.rs): the key is the group and the code, the variables are the parameters.
# All but warnings, clean-up notes and errors of labels and categories begin with a small letter: they may stand inside a sentence.
feed-error-bad-address = { $problem }
feed-error-bad-credentials = ユーザー名またはパスワードを使えません。{ $problem }
feed-error-private-name = ホスト名が内部ネットワークのものなので、Ledeは接続しません。
feed-error-private-address = ホストが公開インターネット上にないので、Ledeは接続しません。
feed-error-closed-port = この種のアクセスではポート{ $port }を使えないので、Ledeは接続しません。
feed-error-bad-target = サイトの転送先を開けません：{ $problem }
feed-error-too-many-redirects = サイトの転送が{ $most }回を超えました。
feed-error-redirect-to-nowhere = サイトが転送先を示さずに転送しました。
feed-error-unencrypted = サイトが暗号化されていないアドレスへ転送しています。このフィードのパスワードはそこへ送れません。
feed-error-unknown-host = ホスト名からサーバーが見つかりませんでした。
feed-error-no-connection = サーバーに接続できませんでした。
feed-error-certificate-name = 安全に接続できませんでした。サーバーの証明書が別の名前のものです。
feed-error-certificate-time = 安全に接続できませんでした。サーバーの証明書が有効期間外です。
feed-error-certificate-issuer = 安全に接続できませんでした。サーバーの証明書の発行元が不明です。
feed-error-no-encryption = 安全に接続できませんでした。サーバーと共通の暗号方式がありません。
feed-error-slow-name = ホスト名を調べるのに{ $seconds }秒以上かかりました。
feed-error-slow-connection = サーバーへの接続に{ $seconds }秒以上かかりました。
feed-error-slow-encryption = 暗号化の準備に{ $seconds }秒以上かかりました。
feed-error-slow-answer = サーバーが{ $seconds }秒以内に応答しませんでした。
feed-error-slow-request = 全体で{ $seconds }秒以上かかりました。
feed-error-slow-body = サーバーからの送信が遅すぎます。
feed-error-large-headers = 応答のヘッダーが多すぎるか、長すぎます。
feed-error-large-body = 応答が{ $bytes }バイトを超えています。
feed-error-absurd-body = 応答を展開すると異常な大きさになります。
feed-error-unexpected-not-modified = 条件を付けていないのに、サーバーが 304 Not Modified と応答しました。
feed-error-answered = サーバーの応答は「{ $status }」でした。
feed-error-truncated = 転送が途中で切れました。
feed-error-bad-packing = サーバーが圧縮した内容を展開できませんでした。
feed-error-unknown-packing = サーバーの応答は不明な方式（{ $name }）で圧縮されています。
feed-error-not-http = サーバーの応答が正しいHTTPではありません。
feed-error-bot-wall = サイトのボット対策（{ $name }）がフィードリーダーを拒んでいます。
feed-error-busy = このホストへのアクセスが多く、順番待ちです。後でもう一度試します。
feed-error-empty = サーバーから空の文書が届きました。
feed-error-is-page = このアドレスにあるのはフィードではなく、Webページです。
feed-error-is-json = このアドレスにあるのはフィードではなく、JSON文書です。
feed-error-is-list = このアドレスにあるのはフィードではなく、購読リスト（OPML）です。
feed-error-is-xml = このアドレスにあるのはフィードではなく、別の種類のXML文書です。
feed-error-is-other = このアドレスにあるのはフィードではありません。
feed-error-bad-json = JSON文書を読み取れませんでした：{ $reason }
feed-error-page-now = このアドレスは、いまはフィードではなくWebページです。ページにフィードへのリンクはありません。
feed-error-page-with-feed = このアドレスは、いまはフィードではなくWebページです。ページが示すフィード：{ $feed }
feed-error-page-with-feeds = このアドレスは、いまはフィードではなくWebページです。ページが示すフィード：{ $feeds }
feed-error-too-complicated = 文書を{ $seconds }秒以内に読み取れませんでした。
feed-error-broken = この文書の読み取り中にLedeに不具合が起きました。アドレスを開発元に知らせてください。
feed-error-no-feed-found = このアドレスにフィードはなく、ページにもフィードへのリンクがありません。
feed-error-list-cut = ファイルが途中で終わっています。続きがありません。
feed-error-list-full = 購読数が上限の{ $most }件に達しています。
feed-error-not-allowed = このアカウントでは、ここにあるフィードは購読できますが、新しいフィードは追加できません。
feed-error-private-to-other = このアドレスはほかの人のパスワードで読まれており、その人だけが購読できます。
feed-error-followed-by-others = このアドレスはほかの人も購読しているため、あなたのパスワードで読むことはできません。
feed-error-access-unreadable = この Lede の秘密鍵が変わったため、このフィードのパスワードを読み取れません。もう一度入力してください。
feed-error-listed-twice = リストに同じフィードが2回以上あります。
feed-error-unknown = このバージョンの Lede が知らない理由で失敗しました。

schedule-reason-every-minutes = { $minutes }に取得しています
schedule-reason-failure = { $number ->
    [1] 1回失敗しました。失敗が続くほど間隔を空けます
   *[other] 連続{ $number }回失敗しました。失敗が続くほど間隔を空けます
}
schedule-reason-failed-times = { $times ->
    [1] 1回失敗しました
   *[other] 連続{ $times }回失敗しました
}
schedule-reason-quiet-until = { $time }までは新しい記事がないとフィードに書かれています
schedule-reason-server-asks = サーバーがそれまで待つよう求めています
schedule-reason-feed-asks = フィードがそれまで待つよう求めています
schedule-reason-timetable = すべてのフィードに決められた時刻です
schedule-reason-quiet-for-days = 数日は新しい記事がないとフィードに書かれているため、1日1回確認します
schedule-reason-server-said = サーバーが再訪の時刻を指定しました
schedule-reason-fewer-requests = サーバーがアクセスを減らすよう求めました
schedule-reason-gone = 発行元が、完全になくなったと告げています
schedule-reason-failed = 失敗しました
schedule-reason-followed-again = 再び購読されました
schedule-reason-nobody-follows = 新しい記事を待っている人がいません
schedule-reason-new-plan = 以前の予定が無効になりました
schedule-reason-new-access = ユーザー名またはパスワードが変わりました
schedule-reason-asked = 今すぐ取得するよう求められました
schedule-reason-new = 新しく追加されました
schedule-reason-moved-here = 別のフィードがここに移転しました
schedule-reason-unknown = このバージョンの Lede が知らない理由です

address-error-empty = アドレスが空です。
address-error-too-long = アドレスが2048文字を超えています。
address-error-forbidden-character = アドレスに空白、バックスラッシュ、または制御文字が含まれています。
address-error-scheme = 開けるのは http と https のアドレスだけです（「{ $scheme }:」は開けません）。
address-error-credentials = アドレスにユーザー名かパスワードが含まれています。
address-error-obscure-host = ホストが特殊な書き方の数値です。普通のIPアドレスで書いてください。
address-error-malformed = Webアドレスではありません。
credentials-error-too-long = { $most }文字以内で入力してください。
credentials-error-control-character = 改行や制御文字は使えません。
credentials-error-colon = コロン（:）は使えません。

query-error-empty = 検索する言葉を入力してください。
query-error-no-word = 検索できる言葉がありません。言葉を入力してください。
query-error-only-exclusions = 除くものしか指定されていません。言葉か is:unread などの条件を加えてください。
query-error-too-long = 検索の言葉は{ $most }文字以内にしてください。
query-error-too-many-terms = 言葉、フレーズ、条件は合わせて{ $most }個までです。
query-error-short-prefix = 「*」の前には2文字以上必要です。
query-error-incomplete = 「{ $field }:」の後に、空白を入れずに検索する言葉を続けてください。
query-error-unknown-state = 「is:」の後に続けられるのは unread、read、starred のどれかです。
query-error-bad-date = 「{ $field }:」の後には 2026、2026-03、2026-03-01 のような日付を続けてください。
query-error-excluded-date = 「{ $field }:」にマイナスは付けられません。代わりに「{ $other }:」を使ってください。
query-error-bad-or = 「OR」は言葉かフレーズの間に置いてください。

shortcut-error-unknown = 「{ $action }」という操作はありません。
shortcut-error-not-one-character = 「{ $action }」のキーは、文字・数字・記号のどれか1つにしてください。
shortcut-error-begins-places = キー { $key } は移動のキーの始まりなので、「{ $action }」のキーにはできません。
shortcut-error-clash = キー { $key } が「{ $one }」と「{ $other }」の両方に使われています。どちらかを変えてください。

share-target-error-no-name = サービスの名前を入力してください。
share-target-error-long-name = サービスの名前は{ $most }文字以内にしてください。
share-target-error-long-address = サービスのアドレスは{ $most }文字以内にしてください。
share-target-error-scheme = サービスのアドレスは https://、http://、mailto: のどれかで始めてください。
share-target-error-no-item = サービスのアドレスには、記事のアドレスを入れる場所に { $place } が必要です。
share-target-error-unknown-place = { $place } に入る項目はありません。使えるのは url と title だけです。
share-target-error-too-early = 記事を入れられるのは、サーバー名より後、または mailto: の「?」より後だけです。
share-target-error-unusable = サービスのアドレスを使えません。{ $problem }
share-target-error-no-server = サーバーのアドレスを入力してください。{ $name } は自分のサーバーで動かすものです。
share-target-error-too-many = サービスは{ $most }個までです。
style-sheet-error-too-long = { $most } KiBまでです。
style-sheet-error-control-character = スタイルシートに使えない文字があります。

entry-error-unreadable = 読み取れません（{ $reason }）。
entry-error-bad-address = { $problem }
entry-error-bad-feed = { $error }
entry-error-bad-service = { $problem }
entry-error-bad-style-sheet = スタイルシートを使えません。{ $problem }
entry-error-unknown-look = 文字の大きさか幅が、選べるものではありません。
entry-error-no-name = 名前が空です。
entry-error-long-name = 名前が{ $most }文字を超えています。
entry-error-bad-query = 検索の言葉が正しくありません。{ $problem }
entry-error-bad-category-name = カテゴリーの名前が空か、長すぎるか、制御文字を含んでいます。
entry-error-bad-label-name = ラベルの名前が空か、長すぎるか、制御文字を含んでいます。
entry-error-bad-title = 名前が長すぎるか、制御文字を含んでいます。
entry-error-bad-depth = カテゴリーの深さは1段から{ $most }段までです。
entry-error-many-categories = カテゴリーが上限の{ $most }個に達しています。
entry-error-many-labels = ラベルが上限の{ $most }個に達しています。
entry-error-many-searches = 保存した検索が上限の{ $most }個に達しています。
entry-error-many-rules = ルールが上限の{ $most }個に達しています。
entry-error-no-category = そのカテゴリーがありません。
entry-error-no-label = そのラベルがありません。
entry-error-no-condition = どの記事についてのルールか書かれていません。
entry-error-no-action = 何もしないルールです。
entry-error-not-followed = そのフィードをここで購読していません。
entry-error-bad-key = キーがLedeの作るものではありません。
entry-error-bad-text = 本文を読み取れませんでした。
entry-error-not-allowed = ここにない記事です。このアカウントでは、共有されるものに追加できません。

warning-disk-full = ディスクの空きがほとんどないため（残り{ $free } MB）、変更も新しい記事の取得もできません。空きができれば自動的に再開します。
warning-disk-low = ディスクの空きが少ないため（残り{ $free } MB）、新しい記事の取得を止めています。空きができれば自動的に再開します。
warning-stuck = フィードや記事の取得が1時間以上滞っています。ワーカーが動いているか、ログに何か出ていないか確かめてください。
warning-too-large = データベースが{ $size } MBになり、MAX_DB_SIZE_MBの上限（{ $limit } MB）を超えています。次のクリーンアップでできるだけ小さくします。
warning-still-too-large = データベースがMAX_DB_SIZE_MBの上限を超えていますが、これ以上削除できるものがありません。上限を上げるか、記事の保存期間を短くしてください。
warning-no-backup = { $day }のバックアップを作れませんでした：{ $error }
warning-unknown = このバージョンの Lede が知らない警告があります。

cleanup-note-removed-for-room = 空きを作るため、読んでから{ $days }日以上たった記事を{ $items }件削除しました。
cleanup-note-kept-by-postgres = その空きはPostgreSQLが新しい行のために保持しています。ディスクに返すには VACUUM FULL を実行してください。
cleanup-note-not-smaller = データベースを小さくできませんでした：{ $error }
cleanup-note-still-too-large = データベースはまだMAX_DB_SIZE_MBの上限を超えています。
cleanup-note-unknown = このバージョンの Lede が知らない記録があります。

maintenance-error-no-room-to-vacuum = ディスクの空きが足りません（必要{ $needed } MB、残り{ $free } MB）。
maintenance-error-in-use = サーバーがデータベースを使用中の可能性があります。
maintenance-error-no-room-to-copy = コピーを置く空きがありません。残しておく200 MBのほかに約{ $needed } MB必要ですが、残りは{ $free } MBです。空きを作るか、別のディスクに保存してください。
maintenance-error-not-writable = { $path } に書き込めません（{ $reason }）。フォルダーとディスクの空きを確かめてください。
maintenance-error-incomplete = コピー後の{ $table }は{ $expected }行のはずが{ $found }行でした。何も変更していません。
maintenance-error-broken-off = 途中で終わりました。理由はログにあります。
maintenance-error-not-copied = コピーに失敗しました（{ $reason }）。何も変更していません。
maintenance-error-system = システムのエラーが起きました（{ $reason }）。

label-error-name-length = ラベルの名前は1～{ $most }文字にしてください。
label-error-name-character = ラベルの名前に制御文字は使えません。
label-error-name-taken = 同じ名前のラベルがすでにあります。
label-error-too-many = ラベルが上限の{ $most }個に達しています。不要なラベルを削除してください。
label-error-too-many-on-item = 1つの記事に付けられるラベルは{ $most }個までです。

category-error-name-length = カテゴリーには1〜100文字の名前が必要です。
    .action = 別の名前を入力してください。
category-error-cycle = カテゴリーを、それ自身やその中のカテゴリーに入れることはできません。
    .action = 別のものを選んでください。
category-error-too-deep = カテゴリーは10階層までです。
    .action = もっと上の場所を選んでください。
category-error-name-character = カテゴリーの名前に制御文字は使えません。
    .action = 別の名前を入力してください。
category-error-name-taken = 同じ場所に同じ名前のカテゴリーがすでにあります。
category-error-too-many = カテゴリーが上限の{ $most }個に達しています。
