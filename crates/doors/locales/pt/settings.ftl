# One's own account and settings.
role-admin = administrador
role-member = membro
role-viewer = leitor
account-title = Conta
account-heading = Sua conta
account-role = Você entrou ({ $role }) como
account-linked = { $provider } está vinculado: você pode entrar com ele.
account-link = Vincular { $provider }
sign-out = Sair
account-delete = Excluir a conta
account-delete-text = Sua lista de feeds, suas marcações e suas estrelas são apagadas na hora e para sempre. Feeds que outras pessoas seguem continuam para elas.
account-delete-button = Excluir minha conta para sempre
account-api = API
