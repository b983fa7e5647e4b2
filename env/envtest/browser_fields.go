package envtest

import (
	"fmt"
	"slices"
)

func fieldCases() []browserCase {
	return slices.Concat(listCases(), dateCases(), fileCases())
}

// at is the style of a thing whose top left corner is there, 200 pixels wide and 30
// high.
func at(x, y int) string {
	return fmt.Sprintf(` style="position:absolute;left:%dpx;top:%dpx;width:200px;height:30px;box-sizing:border-box;margin:0" `, x, y)
}

// told writes the events of the element f into the title: what happened, the value
// then, and "!" when it was not trusted.
const told = `<script>{const seen=[];for(const k of ['input','change'])f.addEventListener(k,e=>{
seen.push(k+' '+(f.multiple&&f.options?[...f.selectedOptions].map(o=>o.text).join('+'):f.value)+(e.isTrusted?'':'!'));const say=seen.slice(-6).join(', ');document.title=say;if(top!==window)top.postMessage(say,'*')})}</script>`
