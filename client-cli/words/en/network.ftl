### Connections to servers. A reason stands behind a colon; advice is a sentence.

# $address: what was typed.
not-an-address = "{ $address }" is not a server address. Write it as in https://play.example.org or 127.0.0.1:7171.

# $server; $why: a reason; $advice: a sentence.
http-unreachable = Cannot reach { $server }: { $why }. { $advice }
# $server; $advice: a sentence.
http-timeout = { $server } did not answer in time. { $advice }
# $server; $why: a reason.
http-broken = { $server } did not answer as it should: { $why }
http-not-found = There is no such thing here that you may see.
http-unauthorized = The server does not know the credential that is kept for it.
# $status: a number.
http-status = The server answers with HTTP status { $status }.
# $kind: of JSON error; $line: a number.
json-broken = { $kind }, line { $line }

# $seconds: a number.
dial-timeout =
    { $seconds ->
        [one] no answer within { $seconds } second
       *[other] no answer within { $seconds } seconds
    }
dial-not-understood = it does not understand a request without TLS
dial-hung-up = it hung up without an answer
dial-wants-tls = it wants an encrypted connection
dial-no-such-certificate = a certificate cannot have such a name

advice-other-server = Is the server running there? Name another one with --server HOST:PORT or https://HOST.
# $address: of the same server.
advice-may-speak-tls = It may speak TLS: connect with --server { $address }.
advice-if-tls = If it speaks TLS, connect with --server { $address }.
# $host.
advice-use-tls = Connect with --server https://{ $host }.
advice-untrusted = If the server has a certificate authority of its own, name the authority's certificate with --ca FILE. Otherwise someone may be listening in.
# $name: in the certificate; $port.
advice-other-name = If you trust that name, connect with --server https://{ $name }:{ $port }.
advice-right-name = Ask the server's operator for its right name.
# $since: a date.
advice-expired-since = It expired on { $since }. The server's operator has to renew it. Or is this computer's clock wrong?
advice-expired = The server's operator has to renew it. Or is this computer's clock wrong?
advice-clock = Is this computer's clock wrong?
# $address: of the same server.
advice-no-tls = If it is meant to run without TLS, as in a network you trust, connect with --server { $address }.
advice-tell-operator = Tell the server's operator.

link-silent = nothing was heard for a while
link-stuck = it accepts no more messages
link-broke = the connection broke
link-closed = the connection is closed
link-closed-by-server = closed by the server
link-closed-by-gateway = closed by a gateway or proxy
link-program-ends = the program ends
# $status: as in 404 Not Found.
link-http-status = it answers with HTTP status { $status }
# $why: from the library.
link-not-websocket = it does not speak WebSocket as it should ({ $why })
link-no-greeting = the server did not answer in time

# $why: from the system.
not-written = Cannot write: { $why }
