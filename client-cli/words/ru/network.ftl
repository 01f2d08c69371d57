### Connections to servers. A reason follows a colon, so it begins in lower case. Advice is a sentence.

# $address: what was typed.
not-an-address = «{ $address }» – не адрес сервера. Укажите адрес вида https://play.example.org или 127.0.0.1:7171.

# $server; $why: a reason; $advice: a sentence.
http-unreachable = Сервер { $server } недоступен: { $why }. { $advice }
# $server; $advice: a sentence.
http-timeout = Сервер { $server } не ответил вовремя. { $advice }
# $server; $why: a reason.
http-broken = Неправильный ответ сервера { $server }: { $why }
http-not-found = На сервере нет ничего с таким именем или id, или вам нельзя это видеть.
http-unauthorized = Сервер не принимает вход, сохранённый на этом компьютере. Войдите снова.
# $status: a number.
http-status = Ответ сервера: статус HTTP { $status }.
# $kind: the kind of JSON error; $line: a number.
json-broken = { $kind }, строка { $line }

# $seconds: a number.
dial-timeout =
    { $seconds ->
        [one] нет ответа в течение { $seconds } секунды
        [few] нет ответа в течение { $seconds } секунд
       *[many] нет ответа в течение { $seconds } секунд
    }
dial-not-understood = сервер не понимает запрос без TLS
dial-hung-up = сервер закрыл соединение без ответа
dial-wants-tls = сервер требует шифрованного соединения
dial-no-such-certificate = такого имени сервера не может быть ни в одном сертификате

advice-other-server = Проверьте, что сервер там работает, или укажите другой: --server HOST:PORT или https://HOST.
# $address: of the same server.
advice-may-speak-tls = Возможно, сервер требует TLS. Попробуйте --server { $address }.
advice-if-tls = Если сервер использует TLS, подключайтесь с --server { $address }.
# $host.
advice-use-tls = Подключайтесь с --server https://{ $host }.
advice-untrusted = Если у сервера собственный центр сертификации, укажите сертификат этого центра: --ca FILE. Если такого центра нет, соединение, возможно, кто-то перехватывает.
# $name: in the certificate; $port.
advice-other-name = Если вы доверяете этому имени, подключайтесь с --server https://{ $name }:{ $port }.
advice-right-name = Узнайте правильное имя сервера у его администратора.
# $since: a date.
advice-expired-since = Срок действия сертификата истёк { $since }. Администратор сервера должен его обновить, если часы этого компьютера идут верно.
advice-expired = Администратор сервера должен обновить сертификат, если часы этого компьютера идут верно.
advice-clock = Проверьте часы этого компьютера.
# $address: of the same server.
advice-no-tls = Если этот сервер должен работать без TLS, например в сети, которой вы доверяете, подключайтесь с --server { $address }.
advice-tell-operator = Сообщите администратору сервера.

link-silent = сервер некоторое время молчит
link-stuck = сервер не принимает сообщения
link-broke = соединение оборвалось
link-closed = соединение закрыто
link-closed-by-server = закрыто сервером
link-closed-by-gateway = закрыто шлюзом или прокси
link-program-ends = программа завершается
# $status: as in 404 Not Found.
link-http-status = ответ сервера: статус HTTP { $status }
# $why: from the library.
link-not-websocket = сервер не соблюдает протокол WebSocket ({ $why })
link-no-greeting = сервер не ответил вовремя

# $why: from the system.
not-written = Не удалось записать: { $why }
