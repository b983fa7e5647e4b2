package layout

// The files of a DataPoint, by the names that its readers know.

type dpTask struct {
	TaskID      string         `json:"task_id"`
	Instruction string         `json:"instruction"`
	Images      []string       `json:"images"`
	Environment map[string]any `json:"environment_config"`
	Solver      dpSolver       `json:"solver"`
	Verifier    dpVerifier     `json:"verifier"`
	Metadata    map[string]any `json:"metadata"`
}

type dpSolver struct {
	Hints *string `json:"hints"`
}

type dpVerifier struct {
	Hints  *string          `json:"hints"`
	Config []map[string]any `json:"config"`
}

type dpMetadata struct {
	Stats     map[string]any `json:"stats"`
	RunID     string         `json:"run_id"`
	CreatedAt string         `json:"created_at"`
}

type dpLog struct {
	Events []any `json:"events"`
	dpStatus
}

type dpStatus struct {
	Status  string     `json:"status"`
	Outcome *dpOutcome `json:"outcome"`
}

type dpOutcome struct {
	Answer string `json:"answer"`
}

type dataPoint struct {
	Task         dpTask                    `json:"task"`
	Log          dpLog                     `json:"solver_log"`
	Verification map[string]dpVerification `json:"verification"`
	Metadata     dpMetadata                `json:"metadata"`
}

type dpVerification struct {
	ResultType   string         `json:"result_type"`
	Score        *float64       `json:"score"`
	Reasoning    string         `json:"reasoning"`
	Verifier     string         `json:"verifier_name"`
	Metadata     map[string]any `json:"metadata"`
	Conversation dpConversation `json:"llm_conversation"`
}

// dpEvent is what all observations have.
type dpEvent struct {
	Type      string         `json:"type"`
	Kind      string         `json:"observation_type"`
	ID        string         `json:"id"`
	Timestamp string         `json:"timestamp"`
	Metadata  map[string]any `json:"metadata"`
	ActionID  *string        `json:"action_id"`
}

type dpSight struct {
	dpEvent
	Screenshot string `json:"screenshot_path"`
	URL        string `json:"url"`
	PageInfo   string `json:"page_info"`
}

type dpOutput struct {
	dpEvent
	Output string `json:"output"`
	Error  string `json:"error"`
}

type dpMessage struct {
	dpEvent
	Content     string `json:"content"`
	MessageType string `json:"message_type"`
}

type dpAction struct {
	Type         string          `json:"type"`
	ID           string          `json:"id"`
	Timestamp    string          `json:"timestamp"`
	Name         string          `json:"action_name"`
	State        dpState         `json:"agent_state"`
	Conversation dpConversation  `json:"llm_conversation"`
	Content      dpContent       `json:"content"`
	Description  string          `json:"action_nl_description"`
	Grounding    *dpConversation `json:"grounding"`
	SubCalls     []any           `json:"tool_sub_calls"`
}

type dpState struct {
	Agent string   `json:"agent"`
	Tools []string `json:"tools_available"`
	Plan  []any    `json:"plan"`
	Facts []string `json:"facts"`
}

type dpConversation struct {
	Messages []dpReply `json:"messages"`
}

type dpReply struct {
	Model     string  `json:"model"`
	Label     string  `json:"label"`
	Raw       string  `json:"raw_response"`
	Reasoning string  `json:"reasoning"`
	Finish    string  `json:"finish_reason"`
	Usage     dpUsage `json:"usage"`
}

type dpUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Reasoning  int `json:"reasoning_tokens"`
}

type dpContent struct {
	Action    string         `json:"action"`
	Arguments map[string]any `json:"arguments"`
}
