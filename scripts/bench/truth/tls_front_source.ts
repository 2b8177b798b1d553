/**
 * A Go program that serves TLS in front of a load target, and keeps the times of its own writes: what
 * it takes itself is part of the truth. The runtime's own TLS server leaves Nagle's algorithm on,
 * which holds small writes back for up to 40 ms.
 *
 * Arguments: the port of the target, the certificate, its key. `/mock/truth` tells the times as the
 * load target does, of each event with content.
 */
export const TLS_FRONT_SOURCE = `package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Every event with content has this, and no other one.
var content = []byte("\\"delta\\":{\\"content\\":\\" ")
var lastChunk = []byte("\\r\\n0\\r\\n\\r\\n")

var mutex sync.Mutex
var lines []string

func main() {
	certificate, err := tls.LoadX509KeyPair(os.Args[2], os.Args[3])
	if err != nil {
		fail(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{certificate}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fail(err)
	}
	// Refused where it is not permitted.
	tasks, _ := os.ReadDir("/proc/self/task")
	for _, task := range tasks {
		id, _ := strconv.Atoi(task.Name())
		syscall.Setpriority(syscall.PRIO_PROCESS, id, -15)
	}
	fmt.Println("listening on", listener.Addr())
	for {
		connection, err := listener.Accept()
		if err != nil {
			fail(err)
		}
		go serve(tls.Server(connection, config))
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func serve(client *tls.Conn) {
	runtime.LockOSThread()
	syscall.Setpriority(syscall.PRIO_PROCESS, syscall.Gettid(), -15)
	defer client.Close()
	requests := bufio.NewReader(client)
	target, err := net.Dial("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		return
	}
	defer target.Close()
	for {
		request, err := http.ReadRequest(requests)
		if err != nil {
			return
		}
		arrival := time.Now().UnixNano()
		if request.URL.Path == "/mock/truth" {
			mutex.Lock()
			text := strings.Join(lines, "")
			mutex.Unlock()
			fmt.Fprintf(client, "HTTP/1.1 200 OK\\r\\ncontent-length: %d\\r\\n\\r\\n%s", len(text), text)
			continue
		}
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		id := request.Header.Get("X-Request-Id")
		line := fmt.Sprintf("%s %d %d", id, arrival, arrival)
		fmt.Fprintf(target, "%s %s HTTP/1.1\\r\\nhost: a\\r\\nx-request-id: %s\\r\\n"+
			"content-length: %d\\r\\n\\r\\n%s", request.Method, request.URL.Path, id, len(body), body)
		times, err := relay(client, target)
		mutex.Lock()
		lines = append(lines, line+times+"\\n")
		mutex.Unlock()
		if err != nil || request.Close {
			return
		}
	}
}

// relay hands one reply on, and tells when it wrote each event with content.
func relay(client, target net.Conn) (string, error) {
	var times []byte
	var reply []byte
	buffer := make([]byte, 65536)
	length := -1
	seen := 0
	for {
		n, err := target.Read(buffer)
		if err != nil {
			return string(times), err
		}
		reply = append(reply, buffer[:n]...)
		now := time.Now().UnixNano()
		for {
			// An event is written when its end is.
			start := bytes.Index(reply[seen:], content)
			if start < 0 {
				break
			}
			end := bytes.Index(reply[seen+start:], []byte("\\n\\n"))
			if end < 0 {
				break
			}
			seen += start + end
			times = append(times, ' ')
			times = strconv.AppendInt(times, now, 10)
		}
		if _, err := client.Write(buffer[:n]); err != nil {
			return string(times), err
		}
		if head := bytes.Index(reply, []byte("\\r\\n\\r\\n")); length < 0 && head >= 0 {
			length = 0
			for _, field := range strings.Split(string(reply[:head]), "\\r\\n") {
				if value, found := strings.CutPrefix(strings.ToLower(field), "content-length:"); found {
					size, _ := strconv.Atoi(strings.TrimSpace(value))
					length = head + 4 + size
				}
			}
		}
		if length > 0 && len(reply) >= length || length == 0 && bytes.HasSuffix(reply, lastChunk) {
			return string(times), nil
		}
	}
}
`;
