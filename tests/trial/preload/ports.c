/*
 * Connections to other ports. FLAGFALL_PORTS has pairs such as "7000=8000,7001=8001": a connection to
 * the first port of a pair goes to the second one. LD_PRELOAD loads this library before the C library
 * into a server that learns the addresses of Redis Cluster's nodes from the nodes themselves. So its
 * connections can be led through proxies, and those of other servers through other ones.
 */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    unsigned short from, to;
} ports[64];
static size_t count;

__attribute__((constructor)) static void read_ports(void) {
    const char *text = getenv("FLAGFALL_PORTS");
    while (text && count < sizeof ports / sizeof *ports
           && sscanf(text, "%hu=%hu", &ports[count].from, &ports[count].to) == 2) {
        count++;
        text = strchr(text, ',');
        if (text) text++;
    }
}

int connect(int socket, const struct sockaddr *to, socklen_t length) {
    struct sockaddr_in other;
    if (to && length >= sizeof other && to->sa_family == AF_INET) {
        memcpy(&other, to, sizeof other);
        for (size_t at = 0; at < count; at++) {
            if (ntohs(other.sin_port) == ports[at].from) {
                other.sin_port = htons(ports[at].to);
                return (int)syscall(SYS_connect, socket, &other, sizeof other);
            }
        }
    }
    return (int)syscall(SYS_connect, socket, to, length);
}
