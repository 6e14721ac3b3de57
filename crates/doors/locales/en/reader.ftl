# The reading view.
feed-gone = That feed is not here
    .text = It was removed, or it is not among the feeds you follow.
item-gone = That item is not here
    .text = It was removed, or it is not among the feeds you follow.
