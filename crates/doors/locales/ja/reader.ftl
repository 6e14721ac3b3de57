# The reading view.
feed-gone = そのフィードはありません
    .text = 削除されたか、購読していないフィードです。
item-gone = その記事はありません
    .text = 削除されたか、購読していないフィードの記事です。
