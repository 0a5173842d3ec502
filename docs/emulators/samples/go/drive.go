// Google's Drive API against the emulator, with the standard library: go run drive.go
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// send sends a request to the emulator and returns the body of the answer.
func send(method, path, mediaType, body string) []byte {
	request, err := http.NewRequest(method, setting("DRIVE_URL", "http://127.0.0.1:4011")+path, strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+setting("DRIVE_TOKEN", "drive-emulator"))
	request.Header.Set("Content-Type", mediaType)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		log.Fatal(response.Status, err, string(content))
	}
	return content
}

func main() {
	var file struct{ ID, Name string }
	created := send("POST", "/upload/drive/v3/files?uploadType=media", "text/plain", "Rye and water")
	if err := json.Unmarshal(created, &file); err != nil {
		log.Fatal(err)
	}
	renamed := send("PATCH", "/drive/v3/files/"+file.ID, "application/json", `{"name": "Rye.txt"}`)
	if err := json.Unmarshal(renamed, &file); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %s\n", file.Name, send("GET", "/drive/v3/files/"+file.ID+"?alt=media", "", ""))
}
