package pixel

import (
	"fmt"
	"image"
	"slices"
)

// rule looks for one thing to do; false means that it sees no need.
type rule func(sight, goal, memory) (step, bool)

// decide takes the first rule that applies. What ends the task comes first, then
// what the visible page still lacks, then the way to the next page.
func decide(seen sight, want goal, past memory) step {
	for _, r := range []rule{readReceipt, fillField, chooseSize, setQuantity, pressButton, openMug} {
		if next, applies := r(seen, want, past); applies {
			return next
		}
	}
	return scrollDown("Nothing here that I could use yet, I scroll down.")
}

func readReceipt(seen sight, _ goal, _ memory) (step, bool) {
	for _, panel := range seen.all(seal) {
		if code := readCode(seen.picture, panel.box); code != "" {
			return step{
				thought: fmt.Sprintf("The receipt's colours read %s, the order is in.", code),
				action:  "terminate", answer: code,
			}, true
		}
	}
	return step{}, false
}

// fillField takes the first field, in reading order, that is not filled.
func fillField(seen sight, want goal, past memory) (step, bool) {
	for _, tab := range seen.patches {
		name, value := "", ""
		switch tab.kind {
		case searchTab:
			name, value = "search", want.search
		case nameTab:
			name, value = "name", want.name
		case addressTab:
			name, value = "address", want.address
		default:
			continue
		}
		if len(seen.level(done, tab)) > 0 {
			continue
		}
		if value == "" {
			return giveUp(fmt.Sprintf("There is a field for the %s and the task does not say what to put there.", name)), true
		}
		return enter(seen, tab, past, name, value), true
	}
	return step{}, false
}

// enter types into the field that shows its focus and clicks one that does not.
// A page that is not in front may have the focus and not show it: after two
// clicks it types anyway.
func enter(seen sight, tab patch, past memory, name, value string) step {
	focus := fmt.Sprintf("The %s field is empty, I click into it.", name)
	if len(seen.level(active, tab)) > 0 || past.thought(focus) >= 2 {
		return typing(fmt.Sprintf("I type the %s from the task into the field.", name), value)
	}
	inside := tab.centre().Add(image.Pt(2*tab.box.Dx(), 0))
	inside.X = min(inside.X, seen.size.X-1)
	return click(focus, inside)
}

// chooseSize compares the choices with each other: large is the largest.
func chooseSize(seen sight, want goal, _ memory) (step, bool) {
	open := seen.all(sizeChoice)
	if len(open) == 0 || want.size == "" {
		return step{}, false
	}
	choices := append(open, seen.level(done, open[0])...)
	slices.SortFunc(choices, func(a, b patch) int { return a.area - b.area })
	at := slices.Index([]string{"small", "medium", "large"}, want.size)
	if len(choices) != 3 || at < 0 || choices[at].kind == done {
		return step{}, false
	}
	return click(fmt.Sprintf("I choose the size %s.", want.size), choices[at].centre()), true
}

// setQuantity counts the pips between the minus and the plus.
func setQuantity(seen sight, want goal, _ memory) (step, bool) {
	buttons := seen.all(stepper)
	if len(buttons) != 2 {
		return step{}, false
	}
	less, more := buttons[0], buttons[1]
	if less.box.Min.X > more.box.Min.X {
		less, more = more, less
	}
	have := len(seen.level(pip, less))
	switch {
	case have < want.quantity:
		return click(fmt.Sprintf("It says %d and the task wants %d, I press plus.", have, want.quantity), more.centre()), true
	case have > want.quantity:
		return click(fmt.Sprintf("It says %d and the task wants %d, I press minus.", have, want.quantity), less.centre()), true
	}
	return step{}, false
}

func pressButton(seen sight, _ goal, _ memory) (step, bool) {
	buttons := seen.all(button)
	if len(buttons) == 0 {
		return step{}, false
	}
	return click("All is set here, I press the button that goes on.", buttons[0].centre()), true
}

// openMug clicks the wanted mug. Beside choices, or right after it was opened,
// the same mug is the picture on its own page, and what is needed is further
// down.
func openMug(seen sight, want goal, past memory) (step, bool) {
	thought := fmt.Sprintf("There is the %s mug, I open it.", want.glaze)
	mugs := seen.all(wanted)
	opened := past.thought(thought) > 0 || len(seen.all(sizeChoice))+len(seen.all(stepper)) > 0
	if len(mugs) == 0 || opened {
		return step{}, false
	}
	largest := slices.MaxFunc(mugs, func(a, b patch) int { return a.area - b.area })
	return click(thought, largest.centre()), true
}
