# Set-up, signing in and registering.
email = Endereço de e-mail
password = Senha
password-help = Pelo menos 12 caracteres. Algumas palavras sem relação entre si são uma boa escolha.
password-again = A mesma senha outra vez
passwords-differ = As duas senhas são diferentes.
create-account = Criar a conta

set-up-title = Configurar o Lede
set-up-heading = Boas-vindas ao seu Lede
set-up-intro = Crie a primeira conta e comece a ler. Ela também administra este Lede.
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
register-privacy = Concordo que este Lede guarde meu endereço, meus feeds e o que li, até que eu exclua minha conta.
register-has-one = Já tem uma?
privacy-needed = Concorde que o Lede guarde seu endereço e o que você lê.
registration-closed = Este Lede não aceita novas contas
    .text = Peça uma conta a quem o administra.

oidc-another-way = Escolha outra forma de entrar.
oidc-go-back = Volte e tente de novo.
oidc-link-or-ask = Entre com sua senha e vincule na página da conta, ou fale com quem administra este Lede.
oidc-link = Entre com sua senha e vincule as duas contas na página da conta.
oidc-confirm = Confirme seu endereço de e-mail lá, ou entre com uma senha.
oidc-instead = Entre com ele.
oidc-later = Tente mais tarde, ou entre com uma senha.
