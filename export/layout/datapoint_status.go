package layout

import (
	"cmp"
	"maps"

	"fara/export"
	"fara/trajectory"
)

// dpStatusOf says an ending in the format's few words: complete when the model ended
// the task itself, max_rounds and timed_out for those two budgets, waiting_for_user
// for every question and approval, and aborted for all else. The run's own status stands in the metadata.
func dpStatusOf(r *trajectory.Result) dpStatus {
	out := dpStatus{Status: "aborted"}
	switch {
	case r.Status == trajectory.Success, r.Status == trajectory.Failure && r.Claim != "":
		out.Status = "complete"
	case r.Status == trajectory.BudgetExhausted && r.Reason == "max_steps":
		out.Status = "max_rounds"
	case r.Status == trajectory.BudgetExhausted && r.Reason == "deadline":
		out.Status = "timed_out"
	case r.Status == trajectory.WaitingForUser, r.Status == trajectory.NeedsApproval:
		out.Status = "waiting_for_user"
	}
	if r.Answer != "" {
		out.Outcome = &dpOutcome{Answer: r.Answer}
	}
	return out
}

// dpTaskOf is what was asked. What a batch's line said beside it is the task's
// metadata, a rubric for one under the name that verifiers look for.
func dpTaskOf(run *export.Source, began *trajectory.Started) dpTask {
	out := dpTask{
		TaskID: taskID(run.Run), Instruction: began.Task, Images: []string{},
		Environment: map[string]any{}, Verifier: dpVerifier{Config: []map[string]any{}}, Metadata: map[string]any{},
	}
	if began.URL != "" {
		out.Environment["init_url"] = began.URL
	}
	if began.AnswerSchema != "" {
		out.Metadata["answer_schema"] = began.AnswerSchema
	}
	if s := run.Task.Sample; s != nil {
		for k, v := range s.Meta {
			out.Metadata[k] = v
		}
	}
	return out
}

// dpMetadataOf is everything about the run that the format has no place for.
func dpMetadataOf(run *export.Source, t *trace) dpMetadata {
	task := run.Task
	stats := map[string]any{
		"harness": "fara", "harness_version": task.Fara, "model": task.Model, "dialect": t.started.Dialect,
		"viewport": task.Viewport, "actions": len(t.moves), "resumed": t.resumed,
		"coordinates": run.Dialect.Space,
	}
	if s := task.Sample; s != nil {
		stats["batch"], stats["sample"] = s.Batch, s.Number
	}
	maps.Copy(stats, endStats(run.Result))
	maps.Copy(stats, lastStats(t))
	return dpMetadata{Stats: stats, RunID: task.Run, CreatedAt: stamp(task.Created)}
}

func endStats(r *trajectory.Result) map[string]any {
	stats := map[string]any{
		"status": r.Status, "reason": r.Reason, "message": r.Message, "claim": r.Claim,
		"verified": append([]string{}, r.Verified...), "rejections": r.Rejections,
		"steps": r.Steps, "usage": r.Usage, "timings": r.Timings,
	}
	if r.Question != "" {
		stats["question"] = r.Question
	}
	if len(r.Effects) > 0 {
		stats["effects"] = r.Effects
	}
	return stats
}

// lastStats says how the actions end, which verifiers go by.
func lastStats(t *trace) map[string]any {
	stats := map[string]any{"ends_with_terminate": false, "bad_replies_after_last_action": len(t.bad)}
	if n := len(t.moves); n > 0 {
		last := t.moves[n-1]
		stats["last_action"] = last.call()
		stats["ends_with_terminate"] = last.call() == terminate
		stats["last_word_forced"] = last.forced
	}
	var unheard []map[string]any
	for _, w := range t.unheard {
		unheard = append(unheard, map[string]any{"text": w.text, "by": w.by, "rejects_answer": w.rejects})
	}
	if unheard != nil {
		stats["words_after_last_action"] = unheard
	}
	return stats
}

// dpVerdicts are the verdicts on the last answer, by the verifier's name, in their
// order; a second one of the same name has "_2" behind it.
func dpVerdicts(verdicts []trajectory.Verdict) (names []string, results map[string]dpVerification) {
	results = map[string]dpVerification{}
	for _, v := range verdicts {
		name := unused(results, cmp.Or(v.By, "verifier"))
		names = append(names, name)
		results[name] = dpVerdict(name, v)
	}
	return names, results
}

func dpVerdict(name string, v trajectory.Verdict) dpVerification {
	out := dpVerification{
		ResultType: "base", Reasoning: v.Reason, Verifier: name,
		Metadata:     map[string]any{"answer": v.Answer, "claim": v.Claim, "class": v.Class, "unsure": v.Unsure},
		Conversation: dpConversation{Messages: []dpReply{}},
	}
	if !v.Unsure {
		score := 0.0
		if v.Accepted {
			score = 1
		}
		out.Score = &score
	}
	if len(v.Checks) > 0 {
		out.Metadata["checks"] = v.Checks
	}
	if v.Raw != "" {
		out.Conversation.Messages = append(out.Conversation.Messages, dpReply{
			Model: v.Model, Label: "judge", Raw: v.Raw, Usage: dpUsage{Prompt: v.Usage.PromptTokens, Completion: v.Usage.CompletionTokens},
		})
	}
	return out
}
