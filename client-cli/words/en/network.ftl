### Connections to servers. A reason follows a colon, so it begins in lower case. Advice is a sentence.

# $address: what was typed.
not-an-address = "{ $address }" is not a server address. Write an address such as https://play.example.org or 127.0.0.1:7171.

# $server; $why: a reason; $advice: a sentence.
http-unreachable = Cannot reach { $server }: { $why }. { $advice }
# $server; $advice: a sentence.
http-timeout = { $server } did not answer in time. { $advice }
# $server; $why: a reason.
http-broken = { $server } did not answer as it should: { $why }
http-not-found = The server has nothing with this name or id, or you may not see it.
http-unauthorized = The server does not accept the login that is saved on this machine. Log in again.
# $status: a number.
http-status = The server answered with HTTP status { $status }.
# $kind: the kind of JSON error; $line: a number.
json-broken = { $kind }, line { $line }

# $seconds: a number.
dial-timeout =
    { $seconds ->
        [one] no answer within { $seconds } second
       *[other] no answer within { $seconds } seconds
    }
dial-not-understood = the server does not understand a request without TLS
dial-hung-up = the server closed the connection without an answer
dial-wants-tls = the server requires an encrypted connection
dial-no-such-certificate = no certificate can contain this server name

advice-other-server = Check that the server is running there, or name another one with --server HOST:PORT or https://HOST.
# $address: of the same server.
advice-may-speak-tls = The server may require TLS. Try to connect with --server { $address }.
advice-if-tls = If the server uses TLS, connect with --server { $address }.
# $host.
advice-use-tls = Connect with --server https://{ $host }.
advice-untrusted = If the server has a certificate authority of its own, name the authority's certificate with --ca FILE. If it has none, somebody may be intercepting the connection.
# $name: in the certificate; $port.
advice-other-name = If you trust that name, connect with --server https://{ $name }:{ $port }.
advice-right-name = Ask the server's operator for the right name of the server.
# $since: a date.
advice-expired-since = The certificate expired on { $since }. The server's operator has to renew it, unless this computer's clock is wrong.
advice-expired = The server's operator has to renew the certificate, unless this computer's clock is wrong.
advice-clock = Check this computer's clock.
# $address: of the same server.
advice-no-tls = If the server is meant to run without TLS, for example in a network that you trust, connect with --server { $address }.
advice-tell-operator = Tell the server's operator.

link-silent = the server sent nothing for a while
link-stuck = the server does not accept more messages
link-broke = the connection broke
link-closed = the connection is closed
link-closed-by-server = closed by the server
link-closed-by-gateway = closed by a gateway or proxy
link-program-ends = the program ends
# $status: as in 404 Not Found.
link-http-status = the server answered with HTTP status { $status }
# $why: from the library.
link-not-websocket = the server does not follow the WebSocket protocol ({ $why })
link-no-greeting = the server did not answer in time

# $why: from the system.
not-written = Cannot write: { $why }
