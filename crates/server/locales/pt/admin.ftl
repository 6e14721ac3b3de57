# Administration.
admin-pages = Páginas da administração
admin-overview = Visão geral
admin-users = Pessoas
admin-status = Estado
admin-kb = { $count } KB
admin-mb = { $count } MB
admin-gb = { $count } GB
admin-seconds = { $count } s
admin-first-page = Voltar ao início
admin-next-page = Próxima página
admin-followers = { $count ->
        [one] { $count } seguidor
       *[other] { $count } seguidores
    }

admin-followings = Assinaturas
admin-database = Banco de dados
admin-disk = Livre no disco
admin-days = Itens por dia
admin-days-text = { $count ->
        [one] { $count } item tem data das últimas duas semanas.
       *[other] { $count } itens têm data das últimas duas semanas.
    }
admin-as-table = Em tabela
admin-day = Dia
admin-items = Itens
admin-waiting = Na fila
admin-waiting-feeds = Feeds a buscar
admin-waiting-search = Itens a indexar para a busca
admin-all-jobs = Todas as tarefas em segundo plano
admin-since = o mais antigo: { $age }
admin-trouble = Feeds que não funcionam
admin-no-trouble = Todos os feeds funcionam.
admin-all-trouble = Todos os feeds que não funcionam
admin-events = Atividade recente
admin-no-events = Nada ainda.
admin-event-registered = criou uma conta
admin-event-login = entrou
admin-event-feed = seguiu um feed
admin-event-jobs-retried = tentou de novo tarefas que falharam
admin-event-jobs-dropped = descartou tarefas que falharam

admin-you = você
admin-follows = { $count ->
        [one] { $count } feed
       *[other] { $count } feeds
    }
admin-seen = visto por último: { $age }
admin-not-seen = nunca entrou
admin-made = desde
admin-by-provider = entra por um provedor
admin-role-help = Membros seguem qualquer feed, leitores só os que já estão aqui, administradores fazem tudo. Uma mudança desconecta a pessoa.
admin-password-help = Pelo menos 12 caracteres. Diga-a à pessoa, que pode mudá-la nas configurações.
admin-remove = Excluir a conta
admin-remove-text = A lista de feeds, as marcações e as estrelas de { $email } são apagadas na hora e para sempre. Feeds que outras pessoas seguem continuam para elas.
admin-remove-button = Excluir para sempre
admin-new = Nova conta
admin-new-single = No modo de um só usuário há uma conta. Remova a configuração APP_PASSWORD para ter várias.
admin-done-added = Conta criada.
admin-done-role = Papel alterado.
admin-done-password = Senha alterada. A pessoa foi desconectada em toda parte.
admin-done-removed = Conta excluída.

admin-feeds = Todos os feeds
    .text = Uma busca serve a todos os que seguem um feed. Um feed desativado não é buscado para ninguém.
admin-feeds-search = Título ou endereço
admin-search = Buscar
admin-feeds-which = Quais feeds
admin-feeds-all = Todos
admin-feeds-active = OK
admin-feeds-trouble = Não funcionam
admin-feeds-stopped = Parados
admin-feeds-disabled = Desativados
admin-feeds-none = Nenhum feed corresponde.
admin-feed-active = OK
admin-feed-error = falhando, nova tentativa prevista
admin-feed-stopped = parado
admin-feed-disabled = desativado
admin-fetched = última busca: { $age }
admin-next-fetch = próxima:
admin-retry = Buscar agora
admin-enable = Ativar
admin-disable = Desativar
admin-done-enabled = Ativado.
admin-done-disabled = Desativado.
admin-done-failed = A busca falhou.
admin-done-fetched = { $count ->
        [one] Buscado: { $count } item novo.
       *[other] Buscado: { $count } itens novos.
    }

admin-checks = Saúde
admin-all-well = Está tudo bem: o banco de dados responde, o trabalho anda em dia e há espaço.
admin-disk-low = O disco está quase cheio, e nada novo é buscado. Libere espaço; o resto volta sozinho.
admin-version = Versão
admin-schema = esquema { $number }
admin-address = Endereço
admin-jobs = Tarefas em segundo plano
    .text = O que o Lede faz sozinho depois de guardar itens e feeds. Uma tarefa que falha é tentada de novo; a que continua falhando aparece aqui.
admin-jobs-article = Artigos a buscar
admin-jobs-icon = Ícones a procurar
admin-jobs-import = Listas a importar
admin-jobs-notification = Notificações a entregar
admin-jobs-removal = Feeds particulares a remover
admin-jobs-kind = Tarefa
admin-jobs-waiting = Na fila
admin-jobs-oldest = Mais antiga
admin-jobs-scheduled = Mais tarde
admin-jobs-failed = Falharam
admin-jobs-none-failed = Nenhuma tarefa falhou.
admin-jobs-failed-title = Tarefas que falharam
admin-jobs-retry = Tentar de novo
admin-jobs-drop = Descartar
admin-jobs-retry-all = Tentar de novo todas as { $count }
admin-jobs-drop-all = Descartar todas as { $count }
admin-job-subject = nº { $number }
admin-job-attempts = { $count ->
    [one] uma tentativa
   *[other] { $count } tentativas
}
admin-job-database = O banco de dados não respondeu ou recusou a alteração.
admin-job-interrupted = O Lede parou no meio de todas as tentativas.
admin-job-panicked = Um erro no próprio Lede; o log diz mais.
admin-job-rate-limited = O servidor pediu menos requisições.
admin-job-unreachable = O site não respondeu ou respondeu com um erro.
admin-done-retried = { $count ->
    [0] Não havia nada para tentar de novo.
    [one] A tarefa vai rodar de novo agora.
   *[other] { $count } tarefas vão rodar de novo agora.
}
admin-done-dropped = { $count ->
    [0] Não havia nada para descartar.
    [one] Tarefa descartada.
   *[other] { $count } tarefas descartadas.
}
admin-room = Armazenamento
admin-unused = Espaço sem uso
admin-disk-unknown = Só o servidor do banco de dados sabe
admin-vacuum = Compactar o banco de dados
admin-vacuum-text = Enquanto isso tudo pode ser lido; o que é gravado espera alguns segundos.
admin-vacuum-needs = O banco de dados é escrito de novo, e para isso { $size } precisam estar livres no disco.
admin-done-vacuumed = Pronto: o banco de dados ficou { $size } menor.
admin-cleanups = Limpezas
admin-no-cleanups = Ainda não houve nenhuma; há uma por dia.
admin-cleanup-at = Quando
admin-cleanup-removed = Itens lidos removidos
admin-cleanup-unread = Itens não lidos removidos
admin-cleanup-articles = Artigos apagados
admin-cleanup-freed = Liberado
admin-cleanup-took = Duração
admin-cleanup-notes = Notas
admin-settings = Configurações em vigor
    .text = Definidas no ambiente, em .env ou lede.toml; uma mudança pede um reinício. Segredos não são mostrados.
admin-setting = Configuração
admin-value = Valor
admin-origin = Origem
admin-origin-environment = ambiente
admin-origin-default = padrão
