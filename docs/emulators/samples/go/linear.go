// Linear's API against the emulator, with the standard library: go run linear.go
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
)

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// send sends a document to the emulator and decodes the data of the answer into result.
func send(query string, variables map[string]any, result any) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		log.Fatal(err)
	}
	request, err := http.NewRequest("POST", setting("LINEAR_URL", "http://127.0.0.1:4010")+"/graphql", bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", setting("LINEAR_API_KEY", "lin_api_emulator"))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	answer := struct{ Data any }{result}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		log.Fatal(err)
	}
}

func main() {
	var found struct {
		Teams struct{ Nodes []struct{ ID string } }
	}
	send("{ teams(first: 1) { nodes { id } } }", nil, &found)
	input := map[string]any{"teamId": found.Teams.Nodes[0].ID, "title": "Bake rye", "priority": 2}
	var created any
	send("mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }", map[string]any{"input": input}, &created)
	var listed struct {
		Issues struct {
			Nodes []struct{ Title, PriorityLabel string }
		}
	}
	query := "query($title: String!) { issues(filter: { title: { eq: $title } }) { nodes { title priorityLabel } } }"
	send(query, map[string]any{"title": "Bake rye"}, &listed)
	for _, issue := range listed.Issues.Nodes {
		fmt.Printf("%s: %s\n", issue.Title, issue.PriorityLabel)
	}
}
