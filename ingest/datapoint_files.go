package ingest

import "encoding/json"

// dpTask is a DataPoint's task.
type dpTask struct {
	ID          string                     `json:"task_id"`
	Instruction string                     `json:"instruction"`
	Environment dpEnvironment              `json:"environment_config"`
	Metadata    map[string]json.RawMessage `json:"metadata"`
}

type dpEnvironment struct {
	Width     int    `json:"viewport_width"`
	Height    int    `json:"viewport_height"`
	InitURL   string `json:"init_url"`
	StartPage string `json:"start_page"`
	StartURL  string `json:"start_url"`
}

// dpLog is what was done, as data_point.json holds it.
type dpLog struct {
	Events  []json.RawMessage `json:"events"`
	Status  string            `json:"status"`
	Outcome *dpOutcome        `json:"outcome"`
}

type dpOutcome struct {
	Answer *string `json:"answer"`
}

type dpMetadata struct {
	RunID   string          `json:"run_id"`
	Created string          `json:"created_at"`
	Stats   json.RawMessage `json:"stats"`
}

// dpWhole is data_point.json.
type dpWhole struct {
	Task         *dpTask                   `json:"task"`
	Log          *dpLog                    `json:"solver_log"`
	Verification map[string]dpVerification `json:"verification"`
	Metadata     *dpMetadata               `json:"metadata"`
}

type dpVerification struct {
	Score     *float64 `json:"score"`
	Reasoning string   `json:"reasoning"`
	Verifier  string   `json:"verifier_name"`
	Timestamp string   `json:"timestamp"`
}

// dpEvent is any of the events.
type dpEvent struct {
	Type        string  `json:"type"`
	Observation string  `json:"observation_type"`
	ID          string  `json:"id"`
	Timestamp   string  `json:"timestamp"`
	ActionID    *string `json:"action_id"`
	Screenshot  string  `json:"screenshot_path"`
	URL         string  `json:"url"`
	Output      string  `json:"output"`
	Error       string  `json:"error"`
	// Content is a user's words, or an action with its arguments.
	Content     json.RawMessage `json:"content"`
	MessageType string          `json:"message_type"`
	Name        string          `json:"action_name"`
	PageInfo    string          `json:"page_info"`
	Metadata    json.RawMessage `json:"metadata"`
	Talk        struct {
		Messages []dpMessage `json:"messages"`
	} `json:"llm_conversation"`
}

type dpMessage struct {
	Model     string `json:"model"`
	Label     string `json:"label"`
	Raw       string `json:"raw_response"`
	Reasoning string `json:"reasoning"`
	Finish    string `json:"finish_reason"`
	Usage     struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	} `json:"usage"`
}
