# Set-up, signing in and registering.
email = Endereço de e-mail
password = Senha
password-help = Pelo menos 12 caracteres. Algumas palavras sem relação entre si são uma boa escolha.
password-again = Repita a senha
passwords-differ = As duas senhas são diferentes.
create-account = Criar a conta

set-up-title = Configurar o Lede
set-up-heading = Boas-vindas ao seu Lede
set-up-intro = Crie a primeira conta e comece a ler. Esta conta também será a administradora.
set-up-code = Código de configuração
set-up-code-help = O Lede o escreveu no log ao iniciar. Ele é pedido porque você não está na própria máquina.
set-up-wrong-code = Este não é o código de configuração. O Lede o escreveu no log ao iniciar.

sign-in-title = Entrar
sign-in-heading = Que bom ver você
sign-in = Entrar
sign-in-or = ou
sign-in-with = Continuar com { $provider }
sign-in-no-account = Ainda não tem conta?
sign-in-create = Crie uma

register-title = Criar uma conta
register-privacy = Concordo que este servidor guarde meu endereço, meus feeds e o que li, até que eu exclua minha conta.
register-has-one = Já tem uma conta?
privacy-needed = Concorde que o Lede guarde seu endereço e o que você lê.
registration-closed = Este servidor não aceita novas contas
    .text = Peça uma conta ao seu administrador.

oidc-unknown = Esta forma de entrar não está configurada aqui.
    .text = Escolha outra forma de entrar.
oidc-elsewhere = Este acesso foi iniciado em outro lugar, ou há tempo demais.
    .text = Volte e tente de novo.
oidc-cancelled = O acesso foi cancelado.
    .text = Volte e tente de novo.
oidc-not-linked = Esta conta { $provider } não está vinculada a nenhuma conta daqui.
    .text = Entre com sua senha e vincule na página da conta, ou fale com seu administrador.
oidc-email-taken = Já existe uma conta com este endereço de e-mail.
    .text = Entre com sua senha e vincule as duas contas na página da conta.
oidc-no-email = { $provider } não confirmou um endereço de e-mail.
    .text = Confirme seu endereço de e-mail lá, ou entre com uma senha.
oidc-linked = Esta conta { $provider } está vinculada a outra conta daqui.
    .text = Entre com ela.
oidc-failed = Não foi possível acessar { $provider }, ou a resposta não é confiável.
    .text = Tente mais tarde, ou entre com uma senha.
