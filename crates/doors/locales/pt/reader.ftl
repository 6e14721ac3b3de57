# The reading view.
feed-gone = Este feed não está aqui
    .text = Foi removido ou não está entre os feeds que você segue.
item-gone = Este item não está aqui
    .text = Foi removido ou não está entre os feeds que você segue.
