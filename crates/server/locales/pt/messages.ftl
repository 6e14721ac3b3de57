# Messages of the model (crates/model/src/message.rs): the key is the group and the code, the variables are the parameters.
# All but warnings, clean-up notes and errors of labels, categories and passwords begin with a small letter: they may stand inside a sentence.
feed-error-bad-address = { $problem }
feed-error-bad-credentials = o nome de usuário ou a senha { $problem }
feed-error-private-name = o Lede não pode se conectar ali: o nome do servidor é de uma rede privada
feed-error-private-address = o Lede não pode se conectar ali: o servidor não está na internet pública
feed-error-closed-port = o Lede não pode se conectar ali: a porta { $port } não está aberta para este tipo de acesso
feed-error-bad-target = o site aponta para um endereço que não pode ser seguido: { $problem }
feed-error-too-many-redirects = o site redirecionou mais de { $most } vezes
feed-error-redirect-to-nowhere = o site redirecionou sem dizer para onde
feed-error-unencrypted = o site redireciona para um endereço sem criptografia, e a senha guardada para este feed não pode ir para lá
feed-error-unknown-host = o nome do servidor não foi encontrado
feed-error-no-connection = não houve conexão com o servidor
feed-error-certificate-name = não houve conexão segura com o servidor: o certificado é de outro nome
feed-error-certificate-time = não houve conexão segura com o servidor: o certificado está fora da validade
feed-error-certificate-issuer = não houve conexão segura com o servidor: quem emitiu o certificado é desconhecido
feed-error-no-encryption = não houve conexão segura com o servidor: não houve acordo sobre a criptografia
feed-error-slow-name = encontrar o nome do servidor levou mais de { $seconds } s
feed-error-slow-connection = a conexão com o servidor levou mais de { $seconds } s
feed-error-slow-encryption = proteger a conexão levou mais de { $seconds } s
feed-error-slow-answer = o servidor não respondeu em { $seconds } s
feed-error-slow-request = o pedido todo levou mais de { $seconds } s
feed-error-slow-body = o servidor envia devagar demais
feed-error-large-headers = a resposta tem cabeçalhos demais ou longos demais
feed-error-large-body = a resposta tem mais de { $bytes } bytes
feed-error-absurd-body = a resposta descompactada fica de um tamanho absurdo
feed-error-unexpected-not-modified = o servidor respondeu 304 Not Modified a um pedido sem condição
feed-error-answered = o servidor respondeu { $status }
feed-error-truncated = a transferência parou antes do fim
feed-error-bad-packing = não foi possível descompactar a resposta do servidor
feed-error-unknown-packing = a resposta do servidor está compactada de uma forma desconhecida ({ $name })
feed-error-not-http = a resposta do servidor não é HTTP válido
feed-error-bot-wall = o site tem uma barreira contra robôs ({ $name }) que recusa leitores de feeds
feed-error-busy = há pedidos demais na fila para este servidor; será tentado de novo mais tarde
feed-error-empty = o servidor enviou um documento vazio
feed-error-is-page = o endereço leva a uma página da web, não a um feed
feed-error-is-json = o endereço leva a um documento JSON, não a um feed
feed-error-is-list = o endereço leva a uma lista de assinaturas (OPML), não a um feed
feed-error-is-xml = o endereço leva a um documento XML de outro tipo, não a um feed
feed-error-is-other = o endereço leva a outra coisa, não a um feed
feed-error-bad-json = o documento é um JSON que não pode ser lido: { $reason }
feed-error-page-now = o endereço leva a uma página da web, não um feed; ela não aponta para nenhum feed
feed-error-page-with-feed = o endereço leva a uma página da web, não um feed; ela aponta para este feed: { $feed }
feed-error-page-with-feeds = o endereço leva a uma página da web, não um feed; ela aponta para estes feeds: { $feeds }
feed-error-too-complicated = não foi possível ler o documento em { $seconds } s
feed-error-broken = o documento causou uma falha no Lede; por favor, informe o endereço dele a quem desenvolve o Lede
feed-error-no-feed-found = não há feed nesse endereço, e a página que está lá não aponta para nenhum
feed-error-list-cut = o arquivo termina no meio; falta o que vem depois
feed-error-list-full = { $most ->
    [one] você segue um feed, que é o limite aqui
   *[other] você segue { $most } feeds, que é o limite aqui
}
feed-error-not-allowed = sua conta pode seguir os feeds que já estão aqui, mas não adicionar novos
feed-error-private-to-other = este endereço é lido aqui com a senha de outra pessoa, e só ela pode segui-lo
feed-error-followed-by-others = outras pessoas também seguem este endereço aqui, por isso ele não pode ser lido com a sua senha
feed-error-access-unreadable = a senha guardada para este feed não pode mais ser lida porque o segredo deste servidor mudou: informe-a de novo
feed-error-listed-twice = está na lista mais de uma vez
feed-error-unknown = falhou por um motivo que esta versão do Lede não conhece

schedule-reason-every-minutes = é buscado { $minutes }
schedule-reason-failure = { $number ->
    [one] falhou uma vez; a espera cresce a cada vez
   *[other] falhou { $number } vezes seguidas; a espera cresce a cada vez
}
schedule-reason-failed-times = { $times ->
    [one] falhou uma vez
   *[other] falhou { $times } vezes seguidas
}
schedule-reason-quiet-until = o feed diz que nada de novo vem antes de { $time }
schedule-reason-server-asks = o servidor pede para não voltar antes
schedule-reason-feed-asks = o feed pede para não voltar antes
schedule-reason-timetable = é um dos horários definidos para todos os feeds
schedule-reason-quiet-for-days = o feed diz que nada de novo vem por dias; o Lede verifica uma vez por dia
schedule-reason-server-said = o servidor disse quando voltar
schedule-reason-fewer-requests = o servidor pediu menos acessos
schedule-reason-gone = quem o publica diz que acabou de vez
schedule-reason-failed = falhou
schedule-reason-followed-again = alguém voltou a segui-lo
schedule-reason-nobody-follows = ninguém espera nada de novo dele
schedule-reason-new-plan = o plano anterior já não vale
schedule-reason-new-access = o nome de usuário ou a senha dele mudou
schedule-reason-asked = alguém pediu que fosse buscado agora
schedule-reason-new = é novo aqui
schedule-reason-moved-here = outro feed mudou para cá
schedule-reason-unknown = um motivo que esta versão do Lede não conhece

address-error-empty = o endereço está vazio
address-error-too-long = o endereço tem mais de 2048 caracteres
address-error-forbidden-character = o endereço contém um espaço, uma barra invertida ou um caractere de controle
address-error-scheme = só endereços http e https podem ser seguidos, não { $scheme }:
address-error-credentials = o endereço contém um nome de usuário ou uma senha
address-error-obscure-host = o servidor é um número escrito de forma incomum; escreva-o como um endereço IP normal
address-error-malformed = isso não é um endereço da web
credentials-error-too-long = deve ter no máximo { $most } caracteres
credentials-error-control-character = não pode conter quebras de linha nem caracteres de controle
credentials-error-colon = não pode conter dois-pontos

query-error-empty = a busca está vazia; diga o que procurar
query-error-no-word = a busca não tem nenhuma palavra; diga o que procurar
query-error-only-exclusions = a busca só diz o que deixar de fora; acrescente uma palavra ou um filtro como is:unread
query-error-too-long = a busca tem mais de { $most } caracteres
query-error-too-many-terms = a busca tem mais de { $most } palavras, expressões e filtros
query-error-short-prefix = são necessárias pelo menos duas letras antes de um *
query-error-incomplete = depois de { $field }: deve vir o que procurar, sem espaço
query-error-unknown-state = depois de is: deve vir unread, read ou starred
query-error-bad-date = depois de { $field }: deve vir uma data como 2026, 2026-03 ou 2026-03-01
query-error-excluded-date = não é possível excluir { $field }: com um menos; use { $other }:
query-error-bad-or = OR deve ficar entre palavras ou expressões

shortcut-error-unknown = não há ação chamada “{ $action }”
shortcut-error-not-one-character = a tecla de “{ $action }” deve ser uma só letra, um só algarismo ou um só sinal
shortcut-error-begins-places = a tecla { $key } inicia as de lugares e não pode ser a de “{ $action }”
shortcut-error-clash = a tecla { $key } é tanto a de “{ $one }” quanto a de “{ $other }”: dê outra a uma das ações

share-target-error-no-name = o serviço precisa de um nome
share-target-error-long-name = o nome de um serviço tem no máximo { $most } caracteres
share-target-error-long-address = o endereço de um serviço tem no máximo { $most } caracteres
share-target-error-scheme = o endereço de um serviço deve começar com https://, http:// ou mailto:
share-target-error-no-item = o endereço de um serviço deve ter { $place } onde entra o endereço do item
share-target-error-unknown-place = nada do item entra em { $place }; só url e title
share-target-error-too-early = o item só entra no endereço de um serviço depois do nome do servidor, ou depois do ? de mailto:
share-target-error-unusable = o endereço do serviço não pode ser usado: { $problem }
share-target-error-no-server = diga onde fica o seu { $name }: ele roda em um servidor seu
share-target-error-too-many = você pode ter { $most } serviços, e não mais
style-sheet-error-too-long = pode ter no máximo { $most } KiB
style-sheet-error-control-character = tem caracteres que nenhuma folha de estilos tem

entry-error-unreadable = não é possível ler ({ $reason })
entry-error-bad-address = { $problem }
entry-error-bad-feed = { $error }
entry-error-bad-service = { $problem }
entry-error-bad-style-sheet = a folha de estilos { $problem }
entry-error-unknown-look = o tamanho ou a largura do texto não está entre os que podem ser escolhidos
entry-error-no-name = o nome está vazio
entry-error-long-name = o nome tem mais de { $most } caracteres
entry-error-bad-query = a busca não serve: { $problem }
entry-error-bad-category-name = o nome da categoria está vazio, é longo demais ou tem caracteres de controle
entry-error-bad-label-name = o nome da etiqueta está vazio, é longo demais ou tem caracteres de controle
entry-error-bad-title = o título é longo demais ou tem caracteres de controle
entry-error-bad-depth = uma categoria fica de um a { $most } níveis abaixo
entry-error-many-categories = você tem { $most } categorias, que é o limite
entry-error-many-labels = você tem { $most } etiquetas, que é o limite
entry-error-many-searches = você guarda { $most } buscas, que é o limite
entry-error-many-rules = você tem { $most } regras, que é o limite
entry-error-no-category = a categoria não existe aqui
entry-error-no-label = a etiqueta não existe aqui
entry-error-no-condition = não diz de quais itens se trata
entry-error-no-action = não faz nada
entry-error-not-followed = você não segue o feed aqui
entry-error-bad-key = a chave não é das que o Lede cria
entry-error-bad-text = não foi possível ler o texto
entry-error-not-allowed = não está aqui, e sua conta não pode acrescentar ao que é compartilhado

warning-disk-full = O disco está quase cheio ({ $free } MB livres), então nada pode ser alterado e nada novo é buscado. Tudo continua sozinho quando houver espaço.
warning-disk-low = O disco está quase cheio ({ $free } MB livres), então nada novo é buscado. Tudo continua sozinho quando houver espaço.
warning-stuck = Feeds e artigos esperam há mais de uma hora. Veja se o processo que os busca está rodando e o que diz o log.
warning-too-large = O banco de dados tem { $size } MB, mais do que MAX_DB_SIZE_MB permite ({ $limit } MB). A próxima limpeza o diminui até onde puder.
warning-still-too-large = O banco de dados passa do limite de MAX_DB_SIZE_MB, e nada mais pode ser removido. Aumente o limite ou guarde os itens por menos tempo.
warning-no-backup = Nenhum backup foi feito em { $day }: { $error }.
warning-unknown = Há um aviso que esta versão do Lede não conhece.

cleanup-note-removed-for-room = Para ganhar espaço, foram removidos { $items } itens lidos há mais de { $days } dias.
cleanup-note-kept-by-postgres = O PostgreSQL guarda o espaço deles para novas linhas; VACUUM FULL o devolve ao disco.
cleanup-note-not-smaller = O banco de dados não foi reduzido: { $error }.
cleanup-note-still-too-large = O banco de dados ainda passa do limite de MAX_DB_SIZE_MB.
cleanup-note-unknown = Há uma observação que esta versão do Lede não conhece.

maintenance-error-no-room-to-vacuum = não há espaço suficiente no disco: são necessários { $needed } MB e há { $free } MB livres
maintenance-error-in-use = um servidor pode estar usando o banco de dados
maintenance-error-no-room-to-copy = não há espaço para uma cópia: ela precisa de cerca de { $needed } MB além dos 200 MB que ficam livres, e há { $free } MB livres; libere espaço ou grave em outro disco
maintenance-error-not-writable = não é possível gravar { $path } ({ $reason }); verifique a pasta e o espaço no disco dela
maintenance-error-incomplete = { $table } tem { $found } linhas depois da cópia em vez de { $expected }; nada foi alterado
maintenance-error-broken-off = parou no meio; o log diz por quê
maintenance-error-not-copied = a cópia falhou ({ $reason }); nada foi alterado
maintenance-error-system = erro do sistema ({ $reason })

label-error-name-length = O nome de uma etiqueta tem de 1 a { $most } caracteres.
label-error-name-character = O nome de uma etiqueta não pode ter caracteres de controle.
label-error-name-taken = Você já tem uma etiqueta com esse nome.
label-error-too-many = Você tem { $most } etiquetas, que é o limite. Remova uma de que não precisa mais.
label-error-too-many-on-item = Um item pode ter no máximo { $most } etiquetas.

category-error-name-length = Uma categoria precisa de um nome de 1 a 100 caracteres.
    .action = Digite outro nome.
category-error-cycle = Uma categoria não pode ficar dentro de si mesma nem de uma das suas.
    .action = Escolha outra.
category-error-too-deep = As categorias podem ter no máximo dez níveis.
    .action = Escolha um lugar mais acima.
category-error-name-character = O nome de uma categoria não pode conter caracteres de controle.
    .action = Digite outro nome.
category-error-name-taken = Já existe uma categoria com esse nome no mesmo lugar.
category-error-too-many = Você tem { $most } categorias, que é o limite.

weak-password-too-short = A senha precisa de pelo menos { $least } caracteres.
weak-password-too-long = A senha pode ter no máximo { $most } caracteres.
weak-password-common = A senha é uma palavra comum com pouca coisa em volta; use algumas palavras sem relação entre si.
weak-password-pattern = A senha repete ou segue uma sequência; use algumas palavras sem relação entre si.
weak-password-like-email = A senha é feita do endereço de e-mail; use algumas palavras sem relação entre si.

opml-error-empty = o arquivo está vazio
opml-error-too-large = o arquivo tem mais de { $megabytes } MB
opml-error-binary = o arquivo não é texto, como é uma lista de assinaturas (OPML)
opml-error-entities = o arquivo declara entidades que representam outras ou arquivos, de que nenhuma lista precisa
opml-error-feed = o arquivo é um feed, não uma lista de assinaturas (OPML)
opml-error-json = o arquivo é um documento JSON, não uma lista de assinaturas (OPML)
opml-error-page = o arquivo é uma página da web, não uma lista de assinaturas (OPML)
opml-error-other-xml = o arquivo é outro tipo de documento XML, não uma lista de assinaturas (OPML)
opml-error-other = o arquivo não é uma lista de assinaturas (OPML)
opml-error-too-many-lines = a lista tem mais de { $most } linhas; divida-a em vários arquivos
opml-error-too-slow = o arquivo demora demais para ser lido

input-error-missing = falta este valor
input-error-repeated = este valor aparece mais de uma vez
input-error-empty = não pode ficar vazio
input-error-too-long = pode ter no máximo { $most } caracteres
input-error-control-character = não pode ter caracteres de controle
input-error-not-a-number = precisa ser um número inteiro
input-error-not-a-flag = precisa ser true ou false
input-error-too-large = o número é grande demais
input-error-too-small = o número é pequeno demais
input-error-out-of-range = precisa estar entre { $least } e { $most }
input-error-wrong-number = é possível indicar de { $least } a { $most } itens
input-error-too-far = precisa estar entre 0 e { $most }; use cursores para ir além
input-error-none-of = precisa ser um destes: { $choices }
input-error-not-with = não pode ser combinado com { $other }
input-error-not-a-time = precisa ser um horário como 2026-05-01T09:30:00Z
input-error-not-an-interval = precisa ser de 30 a 720 minutos, de 30 em 30, ou automático
input-error-not-a-hash = precisa ter 64 dígitos hexadecimais
input-error-foreign-cursor = este cursor não é desta lista
input-error-newest-only = os resultados da busca vêm sempre do mais novo ao mais antigo
input-error-bad-title = um título pode ter no máximo { $most } caracteres, sem caracteres de controle
input-error-no-file = escolha o arquivo a importar
input-error-unknown-action = isso não pode ser feito aqui
input-error-no-condition = indique de quais itens a regra trata
input-error-no-action = escolha o que a regra faz
