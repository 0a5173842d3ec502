// Customer.io's Pipelines API against the emulator, with the standard library: go run pipelines.go
// It lists every event, so start the emulator with --seed empty.
package main

import (
	"encoding/json"
	"fmt"
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

func main() {
	url := setting("PIPELINES_URL", "http://127.0.0.1:4012")
	event := `{"userId": "ada", "event": "Order Completed", "properties": {"total": 42}}`
	request, err := http.NewRequest("POST", url+"/v1/track", strings.NewReader(event))
	if err != nil {
		log.Fatal(err)
	}
	request.SetBasicAuth(setting("PIPELINES_API_KEY", "pipelines-emulator"), "")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil || response.StatusCode != http.StatusOK {
		log.Fatal(response, err)
	}
	response.Body.Close()

	// The vendor does not tell what becomes of an event; the emulator does.
	response, err = http.Get(url + "/__emulator/events")
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var stored struct {
		Events []struct{ Event, Outcome string }
	}
	if err := json.NewDecoder(response.Body).Decode(&stored); err != nil {
		log.Fatal(err)
	}
	for _, each := range stored.Events {
		fmt.Printf("%s: %s\n", each.Event, each.Outcome)
	}
}
