# What is kept in English (model::said): why a feed brought nothing, what is wrong with an address or a
# search, what is wrong with the instance, what a clean-up noted. Troubles, addresses, searches and obstacles
# begin small: they may stand inside a sentence.
trouble-private-name = ホスト名が内部ネットワークのものなので、Ledeは接続しません。
trouble-private-address = ホストが公開インターネット上にないので、Ledeは接続しません。
trouble-closed-port = この種のアクセスではポート{ $port }を使えないので、Ledeは接続しません。
trouble-bad-target = サイトの転送先を開けません：{ $problem }
trouble-many-redirects = サイトの転送が{ $most }回を超えました。
trouble-redirect-to-nowhere = サイトが転送先を示さずに転送しました。
trouble-unknown-host = ホスト名からサーバーが見つかりませんでした。
trouble-no-connection = サーバーに接続できませんでした。
trouble-certificate-name = 安全に接続できませんでした。サーバーの証明書が別の名前のものです。
trouble-certificate-time = 安全に接続できませんでした。サーバーの証明書が有効期間外です。
trouble-certificate-issuer = 安全に接続できませんでした。サーバーの証明書の発行元が不明です。
trouble-no-encryption = 安全に接続できませんでした。サーバーと共通の暗号方式がありません。
trouble-slow-name = ホスト名を調べるのに{ $seconds }秒以上かかりました。
trouble-slow-connection = サーバーへの接続に{ $seconds }秒以上かかりました。
trouble-slow-encryption = 暗号化の準備に{ $seconds }秒以上かかりました。
trouble-slow-answer = サーバーが{ $seconds }秒以内に応答しませんでした。
trouble-slow-request = 全体で{ $seconds }秒以上かかりました。
trouble-slow-body = サーバーからの送信が遅すぎます。
trouble-large-headers = 応答のヘッダーが多すぎるか、長すぎます。
trouble-large-body = 応答が{ $bytes }バイトを超えています。
trouble-absurd-body = 応答を展開すると異常な大きさになります。
trouble-not-modified = 条件を付けていないのに、サーバーが 304 Not Modified と応答しました。
trouble-answered = サーバーの応答は「{ $status }」でした。
trouble-truncated = 転送が途中で切れました。
trouble-bad-packing = サーバーが圧縮した内容を展開できませんでした。
trouble-not-http = サーバーの応答が正しいHTTPではありません。
trouble-bot-wall = サイトのボット対策（{ $name }）がフィードリーダーを拒んでいます。
trouble-busy = このホストへのアクセスが多く、順番待ちです。後でもう一度試します。
trouble-empty = サーバーから空の文書が届きました。
trouble-is-page = このアドレスにあるのはフィードではなく、Webページです。
trouble-is-json = このアドレスにあるのはフィードではなく、JSON文書です。
trouble-is-list = このアドレスにあるのはフィードではなく、購読リスト（OPML）です。
trouble-is-xml = このアドレスにあるのはフィードではなく、別の種類のXML文書です。
trouble-is-other = このアドレスにあるのはフィードではありません。
trouble-bad-json = JSON文書を読み取れませんでした：{ $reason }
trouble-page-now = このアドレスは、いまはフィードではなくWebページです。ページにフィードへのリンクはありません。
trouble-page-with-feed = このアドレスは、いまはフィードではなくWebページです。ページが示すフィード：{ $feed }
trouble-page-with-feeds = このアドレスは、いまはフィードではなくWebページです。ページが示すフィード：{ $feeds }
trouble-complicated = 文書を{ $seconds }秒以内に読み取れませんでした。
trouble-broken = この文書の読み取り中にLedeに不具合が起きました。アドレスを開発元に知らせてください。
trouble-no-feed-found = このアドレスにフィードはなく、ページにもフィードへのリンクがありません。
trouble-list-full = 購読数が上限の{ $count }件に達しています。
trouble-not-allowed = このアカウントでは、ここにあるフィードは購読できますが、新しいフィードは追加できません。

address-empty = アドレスが空です。
address-long = アドレスが2048文字を超えています。
address-character = アドレスに空白、バックスラッシュ、または制御文字が含まれています。
address-scheme = 開けるのは http と https のアドレスだけです（「{ $scheme }:」は開けません）。
address-credentials = アドレスにユーザー名かパスワードが含まれています。
address-obscure = ホストが特殊な書き方の数値です。普通のIPアドレスで書いてください。
address-malformed = Webアドレスではありません。

query-empty = 検索する言葉を入力してください。
query-no-word = 検索できる言葉がありません。言葉を入力してください。
query-only-exclusions = 除くものしか指定されていません。言葉か is:unread などの条件を加えてください。
query-long = 検索の言葉は{ $most }文字以内にしてください。
query-many-terms = 言葉、フレーズ、条件は合わせて{ $most }個までです。
query-short-prefix = * の前には2文字以上必要です。
query-incomplete = { $field }: の後に、空白を入れずに検索する言葉を続けてください。
query-unknown-state = is: の後に続けられるのは unread、read、starred のどれかです。
query-bad-date = { $field }: の後には 2026、2026-03、2026-03-01 のような日付を続けてください。
query-excluded-date = { $field }: にマイナスは付けられません。代わりに { $other }: を使ってください。
query-bad-or = OR は言葉かフレーズの間に置いてください。

warning-disk-full = ディスクの空きがほとんどないため（残り{ $free } MB）、変更も新しい記事の取得もできません。空きができれば自動的に再開します。
warning-disk-low = ディスクの空きが少ないため（残り{ $free } MB）、新しい記事の取得を止めています。空きができれば自動的に再開します。
warning-stuck = フィードや記事の取得が1時間以上滞っています。ワーカーが動いているか、ログに何か出ていないか確かめてください。
warning-large = データベースが{ $size } MBになり、MAX_DB_SIZE_MBの上限（{ $limit } MB）を超えています。次のクリーンアップでできるだけ小さくします。
warning-still-large = データベースがMAX_DB_SIZE_MBの上限を超えていますが、これ以上削除できるものがありません。上限を上げるか、記事の保存期間を短くしてください。
warning-no-backup = { $day }のバックアップを作れませんでした：{ $error }

note-removed = 空きを作るため、読んでから{ $days }日以上たった記事を{ $items }件削除しました。
note-kept-by-postgres = その空きはPostgreSQLが新しい行のために保持しています。ディスクに返すには VACUUM FULL を実行してください。
note-not-smaller = データベースを小さくできませんでした：{ $error }
note-still-large = データベースはまだMAX_DB_SIZE_MBの上限を超えています。

obstacle-room = ディスクの空きが足りません（必要{ $needed } MB、残り{ $free } MB）。
obstacle-in-use = サーバーがデータベースを使用中の可能性があります。
obstacle-copy = コピーを置く空きがありません。残しておく200 MBのほかに約{ $needed } MB必要ですが、残りは{ $free } MBです。空きを作るか、別のディスクに保存してください。
obstacle-file = { $path } に書き込めません（{ $reason }）。フォルダーとディスクの空きを確かめてください。
obstacle-incomplete = コピー後の{ $table }は{ $expected }行のはずが{ $found }行でした。何も変更していません。
obstacle-broken-off = 途中で終わりました。理由はログにあります。
obstacle-not-copied = コピーに失敗しました（{ $reason }）。何も変更していません。
