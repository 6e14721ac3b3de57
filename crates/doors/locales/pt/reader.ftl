# The reading view.
feed-gone = Este feed não está aqui
    .text = Foi removido ou não está entre os feeds que você segue.
category-gone = Esta categoria não está aqui
    .text = Foi removida. Os feeds que estavam nela continuam.
item-gone = Este item não está aqui
    .text = Foi removido ou não está entre os feeds que você segue.

account-of = Configurações e conta de { $name }
theme-system = Tema: como o sistema
search = Buscar

tree = Feeds
tree-add = Adicionar
tree-manage = Gerenciar feeds
tree-all = Todos os itens
tree-starred = Com estrela
tree-history = Histórico
tree-searches = Buscas
tree-feeds = Feeds
tree-fold = Feeds de { $name }
tree-trouble = Problema: { $trouble }
tree-in-trouble = com problema
unread-word = não lidos

list = Itens
list-search = Busca: { $text }
list-more = Mais itens
tabs = Quais itens
tab-unread = Não lidos
tab-all = Todos
tab-starred = Com estrela
order-newest = Mais recentes primeiro
order-oldest = Mais antigos primeiro
density = Espaço de cada item: lista, cartões ou títulos
feed-settings = Sobre este feed
mark-all = Marcar tudo como lido
search-keep = Guardar esta busca
row-unread = Não lido:
row-starred = com estrela
row-read = Lido:
date-estimated = estimada: o feed não informa a data
unread-removed =
    { $count ->
        [one] Um item não lido era antigo demais e foi removido na última limpeza. Marque com estrela o que quiser guardar.
       *[other] { $count } itens não lidos eram antigos demais e foram removidos na última limpeza. Marque com estrela o que quiser guardar.
    }

empty-no-feeds = O que você gosta de ler?
    .text = Digite o endereço de um jornal, um blog ou qualquer outro site. O Lede procura o feed e traz as novidades.
empty-import = Ou traga seus feeds de outro leitor (OPML)
starters = Ou comece com alguns que muita gente lê
starters-follow = Seguir estes
empty-on-the-way = Seus feeds estão sendo buscados
    .text = O que eles trazem aparece aqui em instantes.
add-address = Endereço de um site ou feed
add-placeholder = noticias.example.org
add-find = Procurar o feed
empty-unread = Tudo lido
    .text = Não há nada por ler aqui.
empty-show-all = Mostrar todos os itens
empty-starred = Nenhuma estrela ainda
    .text = Marque um item com estrela para guardá-lo: itens com estrela nunca são removidos.
empty-read = Nada lido ainda
    .text = O que você abre aparece aqui, começando pela última leitura.
empty-show-unread = Mostrar os não lidos
empty-all = Nada aqui ainda
    .text = Os novos itens aparecem aqui quando chegam.
empty-found = Nada encontrado
    .text = Tente menos palavras ou outras, ou o começo de uma palavra com asterisco: econom*
empty-older = Isso era tudo
    .text = Não há nada mais antigo aqui.
empty-newest = Voltar aos mais recentes

article = Artigo
pane-empty = Escolha um item ou aperte j.
article-back = Voltar
reading-time = { $count } min de leitura
star = Estrela
mark-unread = Marcar como não lido
original = Original
share = Compartilhar
files = Arquivos
megabytes = { $size } MB
comments = Comentários
steps = Item seguinte e anterior
previous = Anterior
next = Seguinte
no-text = O feed não traz texto para este item.
no-text-original = Abra o original para ler.
whole-fetch = Buscar o artigo inteiro
whole-fetching = Buscando o artigo inteiro…
whole-not-found = Não foi possível ler mais nada na página do item.

keys-title = Teclado
keys-next = item seguinte, anterior
keys-next-unread = não lido seguinte, anterior
keys-open = abrir ou fechar o item
keys-read = lido ou não lido
keys-star = estrela
keys-original = abrir o original
keys-new = mostrar o que chegou
keys-all-read = marcar tudo como lido (pode ser desfeito)
keys-undo = desfazer
keys-search = buscar
keys-views = todos, não lidos, com estrela, histórico
keys-places = painel, feeds
keys-feeds = feed seguinte, anterior com não lidos
keys-add = adicionar um feed
keys-density = lista, cartões, títulos
keys-theme = claro ou escuro
keys-tree = esconder, mostrar os feeds
keys-move = mover o feed ou a categoria
keys-refresh = buscar este feed agora
keys-help = esta ajuda
keys-back = voltar
