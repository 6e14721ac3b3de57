# What is kept in English (model::said): why a feed brought nothing, what is wrong with an address or a
# search, what is wrong with the instance, what a clean-up noted, what a
# take-out could not bring. All but warnings and notes begin small: they may stand inside a sentence.
trouble-private-name = o Lede não pode se conectar ali: o nome do servidor é de uma rede privada
trouble-private-address = o Lede não pode se conectar ali: o servidor não está na internet pública
trouble-closed-port = o Lede não pode se conectar ali: a porta { $port } não está aberta para este tipo de acesso
trouble-bad-target = o site aponta para um endereço que não pode ser seguido: { $problem }
trouble-many-redirects = o site redirecionou mais de { $most } vezes
trouble-redirect-to-nowhere = o site redirecionou sem dizer para onde
trouble-unencrypted = o site redireciona para um endereço sem criptografia, e a senha guardada para este feed não pode ir para lá
trouble-unknown-host = o nome do servidor não foi encontrado
trouble-no-connection = não houve conexão com o servidor
trouble-certificate-name = não houve conexão segura com o servidor: o certificado é de outro nome
trouble-certificate-time = não houve conexão segura com o servidor: o certificado está fora da validade
trouble-certificate-issuer = não houve conexão segura com o servidor: quem emitiu o certificado é desconhecido
trouble-no-encryption = não houve conexão segura com o servidor: não houve acordo sobre a criptografia
trouble-slow-name = encontrar o nome do servidor levou mais de { $seconds } s
trouble-slow-connection = a conexão com o servidor levou mais de { $seconds } s
trouble-slow-encryption = proteger a conexão levou mais de { $seconds } s
trouble-slow-answer = o servidor não respondeu em { $seconds } s
trouble-slow-request = o pedido todo levou mais de { $seconds } s
trouble-slow-body = o servidor envia devagar demais
trouble-large-headers = a resposta tem cabeçalhos demais ou longos demais
trouble-large-body = a resposta tem mais de { $bytes } bytes
trouble-absurd-body = a resposta descompactada fica de um tamanho absurdo
trouble-not-modified = o servidor respondeu 304 Not Modified a um pedido sem condição
trouble-answered = o servidor respondeu { $status }
trouble-truncated = a transferência parou antes do fim
trouble-bad-packing = não foi possível descompactar a resposta do servidor
trouble-unknown-packing = a resposta do servidor está compactada de uma forma desconhecida ({ $name })
trouble-not-http = a resposta do servidor não é HTTP válido
trouble-bot-wall = o site tem uma barreira contra robôs ({ $name }) que recusa leitores de feeds
trouble-busy = há pedidos demais na fila para este servidor; será tentado de novo mais tarde
trouble-empty = o servidor enviou um documento vazio
trouble-is-page = o endereço leva a uma página da web, não a um feed
trouble-is-json = o endereço leva a um documento JSON, não a um feed
trouble-is-list = o endereço leva a uma lista de assinaturas (OPML), não a um feed
trouble-is-xml = o endereço leva a um documento XML de outro tipo, não a um feed
trouble-is-other = o endereço leva a outra coisa, não a um feed
trouble-bad-json = o documento é um JSON que não pode ser lido: { $reason }
trouble-page-now = o endereço agora é uma página da web, não um feed; ela não aponta para nenhum feed
trouble-page-with-feed = o endereço agora é uma página da web, não um feed; ela aponta para este feed: { $feed }
trouble-page-with-feeds = o endereço agora é uma página da web, não um feed; ela aponta para estes feeds: { $feeds }
trouble-complicated = não foi possível ler o documento em { $seconds } s
trouble-broken = o documento causou uma falha no Lede; por favor, informe o endereço dele a quem desenvolve o Lede
trouble-no-feed-found = não há feed nesse endereço, e a página que está lá não aponta para nenhum
trouble-list-cut = o arquivo termina no meio; falta o que vem depois
trouble-list-full = { $count ->
    [one] você segue um feed, que é o limite aqui
   *[other] você segue { $count } feeds, que é o limite aqui
}
trouble-not-allowed = sua conta pode seguir os feeds que já estão aqui, mas não adicionar novos
trouble-kept-by-other = este endereço é lido aqui com a senha de outra pessoa, e só ela pode segui-lo
trouble-followed-by-others = outras pessoas também seguem este endereço aqui, por isso ele não pode ser lido com a sua senha
trouble-access-unreadable = a senha guardada para este feed não pode mais ser lida porque o segredo deste Lede mudou: informe-a de novo

address-empty = o endereço está vazio
address-long = o endereço tem mais de 2048 caracteres
address-character = o endereço contém um espaço, uma barra invertida ou um caractere de controle
address-scheme = só endereços http e https podem ser seguidos, não { $scheme }:
address-credentials = o endereço contém um nome de usuário ou uma senha
address-obscure = o servidor é um número escrito de forma incomum; escreva-o como um endereço IP normal
address-malformed = isso não é um endereço da web
access-too-long = deve ter no máximo { $most } caracteres
access-control-character = não pode conter quebras de linha nem caracteres de controle
access-colon = não pode conter dois-pontos

query-empty = a busca está vazia; diga o que procurar
query-no-word = a busca não tem nenhuma palavra; diga o que procurar
query-only-exclusions = a busca só diz o que deixar de fora; acrescente uma palavra ou um filtro como is:unread
query-long = a busca tem mais de { $most } caracteres
query-many-terms = a busca tem mais de { $most } palavras, expressões e filtros
query-short-prefix = são necessárias pelo menos duas letras antes de um *
query-incomplete = depois de { $field }: deve vir o que procurar, sem espaço
query-unknown-state = depois de is: deve vir unread, read ou starred
query-bad-date = depois de { $field }: deve vir uma data como 2026, 2026-03 ou 2026-03-01
query-excluded-date = não é possível excluir { $field }: com um menos; use { $other }:
query-bad-or = OR deve ficar entre palavras ou expressões

key-unknown = não há ação chamada “{ $action }”
key-not-one = a tecla de “{ $action }” deve ser uma só letra, um só algarismo ou um só sinal
key-begins-places = a tecla { $key } inicia as de lugares e não pode ser a de “{ $action }”
key-clash = a tecla { $key } é tanto a de “{ $one }” quanto a de “{ $other }”: dê outra a uma das ações

service-no-name = o serviço precisa de um nome
service-long-name = o nome de um serviço tem no máximo { $most } caracteres
service-long-address = o endereço de um serviço tem no máximo { $most } caracteres
service-scheme = o endereço de um serviço deve começar com https://, http:// ou mailto:
service-no-item = o endereço de um serviço deve ter { $place } onde entra o endereço do item
service-unknown-place = nada do item entra em { $place }; só url e title
service-early = o item só entra no endereço de um serviço depois do nome do servidor, ou depois do ? de mailto:
service-unusable = o endereço do serviço não pode ser usado: { $problem }
service-no-server = diga onde fica o seu { $name }: ele roda em um servidor seu
service-many = você pode ter { $most } serviços, e não mais
style-too-long = pode ter no máximo { $most } KiB
style-control-character = tem caracteres que nenhuma folha de estilos tem

entry-unreadable = não é possível ler ({ $reason })
entry-unknown-look = o tamanho ou a largura do texto não está entre os que podem ser escolhidos
entry-no-name = o nome está vazio
entry-long-name = o nome tem mais de { $most } caracteres
entry-bad-query = a busca não serve: { $problem }
entry-bad-category-name = o nome da categoria está vazio, é longo demais ou tem caracteres de controle
entry-bad-label-name = o nome da etiqueta está vazio, é longo demais ou tem caracteres de controle
entry-bad-title = o título é longo demais ou tem caracteres de controle
entry-bad-depth = uma categoria fica de um a { $most } níveis abaixo
entry-many-categories = você tem { $most } categorias, que é o limite
entry-many-labels = você tem { $most } etiquetas, que é o limite
entry-many-searches = você guarda { $most } buscas, que é o limite
entry-many-rules = você tem { $most } regras, que é o limite
entry-no-category = a categoria não existe aqui
entry-no-label = a etiqueta não existe aqui
entry-no-condition = não diz de quais itens se trata
entry-no-action = não faz nada
entry-not-followed = você não segue o feed aqui
entry-bad-key = a chave não é das que o Lede cria
entry-bad-text = não foi possível ler o texto
entry-not-allowed = não está aqui, e sua conta não pode acrescentar ao que é compartilhado

warning-disk-full = O disco está quase cheio ({ $free } MB livres), então nada pode ser alterado e nada novo é buscado. Tudo continua sozinho quando houver espaço.
warning-disk-low = O disco está quase cheio ({ $free } MB livres), então nada novo é buscado. Tudo continua sozinho quando houver espaço.
warning-stuck = Feeds e artigos esperam há mais de uma hora. Veja se o processo que os busca está rodando e o que diz o log.
warning-large = O banco de dados tem { $size } MB, mais do que MAX_DB_SIZE_MB permite ({ $limit } MB). A próxima limpeza o diminui até onde puder.
warning-still-large = O banco de dados passa do limite de MAX_DB_SIZE_MB, e nada mais pode ser removido. Aumente o limite ou guarde os itens por menos tempo.
warning-no-backup = Nenhum backup foi feito em { $day }: { $error }.

note-removed = Para ganhar espaço, foram removidos { $items } itens lidos há mais de { $days } dias.
note-kept-by-postgres = O PostgreSQL guarda o espaço deles para novas linhas; VACUUM FULL o devolve ao disco.
note-not-smaller = O banco de dados não foi reduzido: { $error }.
note-still-large = O banco de dados ainda passa do limite de MAX_DB_SIZE_MB.

obstacle-room = não há espaço suficiente no disco: são necessários { $needed } MB e há { $free } MB livres
obstacle-in-use = um servidor pode estar usando o banco de dados
obstacle-copy = não há espaço para uma cópia: ela precisa de cerca de { $needed } MB além dos 200 MB que ficam livres, e há { $free } MB livres; libere espaço ou grave em outro disco
obstacle-file = não é possível gravar { $path } ({ $reason }); verifique a pasta e o espaço no disco dela
obstacle-incomplete = { $table } tem { $found } linhas depois da cópia em vez de { $expected }; nada foi alterado
obstacle-broken-off = parou no meio; o log diz por quê
obstacle-not-copied = a cópia falhou ({ $reason }); nada foi alterado

label-name-length = O nome de uma etiqueta tem de 1 a { $most } caracteres.
label-name-character = O nome de uma etiqueta não pode ter caracteres de controle.
label-name-taken = Você já tem uma etiqueta com esse nome.
label-too-many = Você tem { $most } etiquetas, que é o limite. Remova uma de que não precisa mais.
label-many-on-item = Um item pode ter no máximo { $most } etiquetas.
