# The dashboard: the list of feeds and the latest digest.
dashboard-bad-filters = Parâmetros de filtro inválidos
dashboard-bad-query = Parâmetros de consulta inválidos
dashboard-list-failed = Não foi possível carregar os feeds
dashboard-feed-failed = Não foi possível carregar o feed
dashboard-feed-gone = Feed não encontrado
dashboard-add-failed = Não foi possível adicionar o feed. Tente de novo.
dashboard-edit-failed = Não foi possível atualizar o feed
dashboard-delete-failed = Não foi possível excluir o feed
dashboard-taken = Você já adicionou este feed
dashboard-exists = Já existe um feed com esta URL
dashboard-name-missing = O nome do feed é obrigatório
dashboard-name-long = O nome do feed deve ter no máximo 255 caracteres
dashboard-name-odd = O nome do feed não pode conter caracteres de controle
dashboard-url-missing = A URL do feed é obrigatória
dashboard-url-long = A URL do feed deve ter no máximo 2048 caracteres
dashboard-url-credentials = A URL do feed não pode conter nome de usuário nem senha
dashboard-url-odd = Formato de URL inválido. Deve começar com http:// ou https://

dashboard-noscript = Esta página precisa de JavaScript. Sem ele, gerencie o que você segue aqui:
dashboard-loading = Carregando…

dashboard-summary = Último resumo
dashboard-summary-empty = Ainda não há resumo. Ele conta em poucos parágrafos o que as últimas 24 horas trouxeram nos feeds que você segue.
dashboard-summary-none = Ainda não há resumos neste servidor. Tudo o que é novo espera por você no leitor.
dashboard-summary-generate = Gerar resumo
dashboard-summary-nothing = Nenhum artigo encontrado nas últimas 24 horas
    .action = Adicione um feed ou volte quando chegar algo novo.
dashboard-summary-unavailable = O serviço de IA está temporariamente indisponível
    .action = Ainda não é possível gerar resumos aqui. Tudo o que é novo espera por você no leitor.
dashboard-summary-failed = Não foi possível gerar o resumo. Tente de novo mais tarde.
    .action = Se continuar assim, seu administrador encontra o motivo no registro.

dashboard-feeds = Seus feeds
dashboard-filters = Quais feeds
dashboard-search = Buscar pelo nome
dashboard-status = Status
dashboard-all = Todos
dashboard-working = Funcionando
dashboard-pending = Pendente
dashboard-error = Com erro
dashboard-paused = pausado por você
dashboard-fetched = última busca:
dashboard-stopped = O Lede não tenta mais. Corrija o endereço ou retome o feed em Feeds.
dashboard-next = Próxima tentativa:
dashboard-total = { $count ->
    [one] { $count } feed
   *[other] { $count } feeds
}
dashboard-pages = Páginas da lista
dashboard-page = Página { $page } de { $pages }
dashboard-previous = Anterior
dashboard-next-page = Próxima
dashboard-none = Você ainda não segue nenhum feed
    .text = Adicione um acima. Para procurar o feed de um site ou trazer a lista de outro leitor, vá para
dashboard-none-found = Nenhum feed assim
    .text = Nenhum dos seus feeds tem este nome e este status.
dashboard-show-all = Mostrar todos os feeds

dashboard-add = Adicionar um feed
dashboard-added = O feed foi adicionado e está sendo buscado.
dashboard-name = Nome
dashboard-url = URL do feed
dashboard-add-help = O endereço do próprio feed. Ele é buscado em segundo plano; o status mostra o resultado.
dashboard-edit-help = Em outro endereço há outro feed: o que você leu e marcou com estrela no antigo é esquecido.
dashboard-delete = Excluir este feed?
    .text = Você deixa de segui-lo, e o que você leu e marcou com estrela nele é esquecido. Outras pessoas que o seguem continuam com ele.
    .button = Excluir feed
