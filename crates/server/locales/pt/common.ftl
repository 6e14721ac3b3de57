# Names and things that every page has.
lede = Lede
motto = Notícias que vão direto ao ponto
to-reader = Ir para o leitor
skip = Ir para o conteúdo
sections = Seções
section-reader = Leitor
section-dashboard = Painel
section-feeds = Feeds
section-rules = Regras
section-settings = Configurações
section-admin = Administração
failed = Não deu certo

save = Salvar
saved = Salvo
close = Fechar
cancel = Cancelar
delete = Excluir
edit = Editar
add = Adicionar

not-here = Não há nada aqui
    .text = O endereço pode estar errado, ou o que estava aqui já não existe.

age-now = agora
age-minutes = { $count } min
age-hours = { $count } h
age-days = { $count } d
ago-now = agora mesmo
ago-minutes = há { $count } min
ago-hours = há { $count } h
ago-days = há { $count } d
date-months = janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
date-months-short = jan. fev. mar. abr. maio jun. jul. ago. set. out. nov. dez.
date-day = { $day } de { $month }
date-day-year = { $day } de { $month } de { $year }
date-exact = { $day } de { $month } de { $year }, { $time } UTC
try-again = Tentar de novo
unreachable = Não foi possível alcançar o Lede. O que você digitou continua aqui: verifique a conexão e tente de novo.
offline-page = Não foi possível alcançar o Lede
    .text = Esta página precisa de conexão. Os itens salvos para ler offline continuam disponíveis.
offline-read = Ler os itens salvos

bell = Notificações
bell-read-all = Marcar todas como lidas
bell-failed = Não foi possível carregar as notificações. Feche esta lista e abra-a de novo.
bell-empty = Nenhuma notificação
    .text = Ative-as nas configurações de um feed ou para os itens que uma regra encontra.
browser-notifications-allow = Permitir notificações neste navegador
browser-notifications-granted = Este navegador mostra suas notificações enquanto o Lede está aberto em uma aba.
browser-notifications-denied = Este navegador bloqueia as notificações do Lede. Permita-as nas configurações do navegador para este site e recarregue esta página.
browser-notifications-unsupported = Este navegador não pode mostrar notificações aqui. É preciso um navegador compatível e um endereço com https.
