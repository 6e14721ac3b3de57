# Managing feeds, rules and saved searches.
## Adding
feeds-add-title = Adicionar um feed
feeds-add-label = Endereço
feeds-bookmark-drag = Arraste para a barra de favoritos e siga qualquer site enquanto o visita:
feeds-bookmark = Seguir no Lede
feeds-add-look = Encontrar feed
feeds-add-help = Qualquer site, blog, feed ou canal do YouTube: digite o endereço como aparece no navegador.
feeds-add-access = Mais: nome de usuário, senha…
feeds-add-asking = Consultando { $address }…
feeds-add-choose = Este site tem vários feeds. Qual deles?
feeds-add-untitled = Feed sem nome
feeds-add-previewing = Carregando a prévia…
feeds-add-newest = Itens mais recentes
feeds-add-empty = O feed existe, mas ainda não publicou nada.
feeds-add-follow = Seguir
feeds-add-followed = Você já segue este feed.
feeds-add-followed-mark = você já segue
feeds-add-to-feed = Ver o feed
feeds-add-plain = Se o site não usa criptografia, digite http:// antes do endereço.
feeds-not-an-address = Isso não é um endereço da web.
    .action = Digite como aparece no navegador, por exemplo news.example.org.

## Subscription lists
feeds-opml = Lista de feeds (OPML)
feeds-opml-text = Vem de outro leitor? Solte a lista em qualquer lugar desta página ou escolha o arquivo. As categorias vêm junto, e o que você já segue fica como está.
feeds-opml-file = Arquivo
feeds-opml-address = Ou o endereço dela
feeds-opml-import = Importar
feeds-opml-export = Exportar meus feeds
feeds-opml-reading = Lendo a lista…
feeds-opml-fetching = Buscando a lista…
feeds-import-not-a-list = Este arquivo não é uma lista de feeds.
    .action = Exporte um arquivo OPML do outro leitor e escolha esse.
feeds-import-not-a-list-there = Não há lista de assinaturas neste endereço.
    .action = Informe o endereço do próprio arquivo OPML, ou baixe-o no navegador e escolha o arquivo.
feeds-import-title = Importação
feeds-import-running = Importando…
feeds-import-done = Importação concluída.
feeds-import-total = Feeds na lista
feeds-import-added = Adicionados
feeds-import-existing = Já seguidos
feeds-import-failed = Não adicionados
feeds-import-fetches = Novos feeds
feeds-import-fetched = Buscados
feeds-import-unfetched = Sem resposta útil
feeds-import-waiting = Na fila
feeds-import-to-fix = Novos feeds que não puderam ser buscados
feeds-import-empty = A lista não traz nenhum feed.
feeds-import-next = Os feeds novos recebem seus itens nos próximos minutos.
feeds-import-goes-on = Pode sair desta página; a importação continua.
feeds-import-failures = O que falhou, e por quê
feeds-import-more-failures = { $count ->
    [one] E mais um.
   *[other] E mais { $count }.
}
feeds-import-gone = Importação não encontrada
    .text = Terminou há muito tempo, ou não é sua.
feeds-to-list = Ver seus feeds

## Arranging
feeds-none = Você ainda não segue nada
feeds-none-text = Adicione um site de que gosta, ou traga a lista de outro leitor.
feeds-search = Encontrar um feed
feeds-search-button = Encontrar
feeds-found = { $count ->
    [one] Um feed encontrado
   *[other] { $count } feeds encontrados
}
feeds-unread = não lidos
feeds-up = Para cima
feeds-down = Para baixo
feeds-up-name = Mover { $name } para cima
feeds-down-name = Mover { $name } para baixo
feeds-select = Selecionar { $name }
feeds-select-all = Selecionar tudo
feeds-select-all-in = Selecionar tudo em { $name }
feeds-paused-mark = em pausa
feeds-trouble-error = não funciona
feeds-trouble-stopped = parado
feeds-selected = Feeds selecionados:
feeds-move-to = Mover para
feeds-move = Mover
feeds-unsubscribe = Deixar de seguir…
feeds-unsubscribe-selected-text = Você deixa de segui-los, e suas marcas de leitura neles se perdem de vez. Os itens com estrela ou etiqueta ficam.
feeds-unsubscribe-selected = Deixar de seguir os selecionados
feeds-done-moved = Movido.
feeds-done-unsubscribed = Você não segue mais.
feeds-done-category-added = Categoria criada.
feeds-done-category-changed = Categoria alterada.
feeds-done-category-deleted = Categoria excluída. Os feeds dela continuam aqui.

## Categories
feeds-category = Categoria
feeds-no-category = Sem categoria
feeds-category-empty = Nada aqui ainda. Arraste feeds para cá, ou selecione alguns e mova.
feeds-category-new = Nova categoria
feeds-category-name = Nome
feeds-category-parent = Dentro de
feeds-category-top = Nível principal
feeds-category-delete = Excluir a categoria…
feeds-category-delete-empty = Não há nada nela; nada mais muda.
feeds-category-delete-text = { $count ->
    [one] Só a categoria é excluída. O feed dela sobe um nível.
   *[other] Só a categoria é excluída. Os { $count } feeds dela sobem um nível.
}
feeds-category-delete-inner = { $count ->
    [one] A categoria dentro dela também sobe.
   *[other] As { $count } categorias dentro dela também sobem.
}
feeds-category-delete-button = Excluir a categoria
feeds-category-gone = Categoria não encontrada
    .text = Foi removida, ou não é sua.

## One feed
feeds-read = Ler este feed
feeds-count-unread = { $count ->
    [one] um não lido
   *[other] { $count } não lidos
}
feeds-count-items = { $count ->
    [one] um item
   *[other] { $count } itens
}
feeds-count-starred = { $count ->
    [one] um com estrela
   *[other] { $count } com estrela
}
feeds-health = Estado do feed
feeds-health-good = Tudo bem.
feeds-health-waiting = Ainda não foi buscado.
feeds-health-error = Este feed não está funcionando. O Lede continua tentando.
feeds-health-stopped = O Lede parou de tentar este feed.
feeds-health-paused = Você pausou este feed: nada de novo chega até retomar.
feeds-remedy-refused = O site recusa programas ou exige login. Veja se o feed abre no navegador; talvez o site tenha outro.
feeds-remedy-access = O site pede um nome de usuário e uma senha.
feeds-remedy-gone = O feed provavelmente mudou ou acabou. Abra o site, procure o feed e troque o endereço abaixo.
feeds-remedy-wait = Falhas assim costumam passar sozinhas. Se durar dias, veja se o site ainda responde.
feeds-last-answer = Última busca
feeds-answer-good = OK
feeds-failing-since = Falhando desde
feeds-failures = { $count ->
    [one] uma vez
   *[other] { $count } vezes seguidas
}
feeds-next = Próxima busca
feeds-next-never = Nenhuma prevista.
feeds-soon = em instantes
feeds-in-minutes = { $count ->
    [one] em um minuto
   *[other] em { $count } minutos
}
feeds-in-hours = { $count ->
    [one] em uma hora
   *[other] em { $count } horas
}
feeds-because = Motivo: { $why }
feeds-address = Endereço
feeds-site = Site
feeds-followed-since = Seguido desde
feeds-refresh = Buscar agora
feeds-refreshing = Buscando…
feeds-resume = Retomar
feeds-done-refreshed = { $count ->
    [one] Buscado: um item novo.
   *[other] Buscado: { $count } itens novos.
}
feeds-done-failed = A busca falhou; veja abaixo o motivo.
feeds-done-resumed = Retomado.
feeds-done-address = Agora você segue o feed no novo endereço.
feeds-done-access = Funcionou: o feed é lido com o que você informou.
feeds-done-access-forgotten = Removido. De agora em diante o feed é lido sem senha.
feeds-change-address = Trocar o endereço…
feeds-change-address-text = O Lede passa a seguir o que está lá, com o mesmo nome, categoria e ajustes. Suas marcas no feed antigo se perdem.
feeds-new-address = Novo endereço
feeds-change-address-button = Trocar
feeds-settings = Suas configurações para este feed
feeds-own-title = Seu nome para este feed
feeds-own-title-help = Deixe vazio para usar o nome original.
feeds-interval = Frequência
feeds-interval-help = Nunca antes do que o servidor permite.
feeds-interval-usual = padrão ({ $interval })
feeds-interval-auto = conforme o ritmo de publicação
feeds-interval-mixed = a cada { $hours } h { $minutes } min
feeds-interval-minutes = { $count ->
    [one] a cada minuto
   *[other] a cada { $count } min
}
feeds-interval-hours = { $count ->
    [one] a cada hora
   *[other] a cada { $count } h
}
feeds-full-text = Buscar artigos inteiros
feeds-full-text-help = Quando o feed traz só o começo, o Lede lê o resto na página.
feeds-notify = Mostrar itens novos no sino
feeds-notify-help = Os itens novos deste feed aparecem no sino, no alto de cada página.
feeds-pause = Pausar
feeds-pause-help = Nada de novo chega até você retomar; o que está aqui fica.
feeds-access = Acesso: nome de usuário, senha…
feeds-access-text = Para feeds protegidos por senha. O que você informa vai só para o site do próprio feed. Fica guardado cifrado, nunca mais é mostrado, e só você poderá seguir o feed aqui.
feeds-access-yours = Só você pode seguir este feed aqui, até deixar de segui-lo: então ele é removido, com todos os itens sem estrela nem etiqueta.
feeds-access-unreadable = O que você informou não pode mais ser lido, porque o segredo deste servidor mudou. Informe de novo.
feeds-access-plain = O endereço começa com http, não https: quem estiver entre este servidor e o site pode ler o que você informar.
feeds-access-moved = O feed mudou para { $address }. O que você informou é para o site antigo, por isso o Lede não muda sozinho: troque o endereço abaixo se confia no novo.
feeds-access-enter = Informar nome de usuário e senha
feeds-access-username = Nome de usuário
feeds-access-password = Senha
feeds-access-user-agent = User-Agent
feeds-access-user-agent-help = Em vez do nome do Lede, quando o site exige outro.
feeds-access-cookie = Cookie
feeds-access-cookie-help = Como o navegador envia: nome=valor; nome=valor
feeds-access-kept = Há um guardado. Deixe vazio para mantê-lo.
feeds-access-save = Salvar e testar
feeds-access-forget = Remover tudo isso
feeds-unsubscribe-text = Você deixa de seguir este feed, e suas marcas de leitura nele se perdem de vez. Pode voltar a segui-lo, mas elas não voltam.
feeds-unsubscribe-stars = { $count ->
    [one] O item com estrela fica.
   *[other] Os { $count } itens com estrela ficam.
}
feeds-unsubscribe-button = Deixar de seguir

## Rules
rules-intro = Uma regra age sobre os itens novos quando chegam. O que já está aqui fica como está.
rules-new = Nova regra
rules-edit = Regra
rules-name = Nome
rules-which = Quais itens (tudo o que preencher precisa valer)
rules-query = Palavras de busca
rules-query-help = Como no campo de busca: sponsored, "two words", title:review, author:ann, -sport
rules-feed = Feed
rules-any-feed = qualquer feed
rules-any-category = qualquer categoria
rules-what = O que acontece com eles
rules-read = Marcar como lidos
rules-star = Dar uma estrela
rules-hide = Ocultar
rules-hide-help = Não aparecem em nenhuma lista nem na busca.
rules-notify = Avisar no sino
rules-label = Dar a etiqueta
rules-label-help = Uma das suas, ou o nome de uma nova; em branco para nenhuma.
rules-enabled = Esta regra está ativa
rules-make = Criar a regra
rules-and = {", "}
rules-does-read = marca como lido
rules-does-star = dá estrela
rules-does-hide = oculta
rules-does-notify = avisa
rules-does-label = dá a etiqueta “{ $name }”
rules-in = em { $name }
rules-off-mark = desligada
rules-turn-on = Ligar
rules-turn-off = Desligar
rules-delete = Excluir a regra…
rules-delete-text = Ela deixa de funcionar. O que já fez fica.
rules-delete-button = Excluir a regra
rules-matched = { $count ->
    [one] Ela teria valido para um item na última semana.
   *[other] Ela teria valido para { $count } itens na última semana.
}
rules-matched-more = Ela teria valido para { $count } itens ou mais na última semana.
rules-no-condition = Diga para quais itens a regra vale.
    .action = Preencha palavras de busca, ou escolha um feed ou uma categoria.
rules-no-action = Diga o que acontece com os itens.
    .action = Marque pelo menos uma das opções ou indique uma etiqueta.
rules-bad-query = Não dá para entender as palavras de busca.
    .action = Use palavras das quais pelo menos uma deva aparecer; feche aspas e parênteses.
rules-bad-name = É preciso um nome de 1 a 100 caracteres.
    .action = Digite outro nome.
rules-gone = Não encontrado
    .text = Foi removido, ou não é seu.
rules-done-added = Regra criada.
rules-done-on = Regra ligada.
rules-done-off = Regra desligada.
rules-done-deleted = Regra excluída.
rules-done-search-added = Busca salva.
rules-done-search-deleted = Busca excluída.
rules-searches = Buscas salvas
rules-searches-text = Buscas que você usa sempre. Elas aparecem ao lado dos feeds, com os itens não lidos.
rules-search-keep = Salvar busca
rules-search = Busca salva
rules-search-delete = Excluir a busca…
rules-search-delete-text = Ela deixa de aparecer ao lado dos seus feeds. O que ela encontra permanece.
rules-search-delete-button = Excluir a busca
