// Package layout writes whole runs as folders that other systems read: Fara's
// DataPoint, and the result folders of the WebVoyager and Online-Mind2Web
// benchmarks.
//
// It computes everything from a run's events and files and looks at no page. What a
// trainer reads step by step is package export's.
//
// All layouts number a run's actions from 1, one for each reply that had a call,
// whether or not the runtime then did it. Replies that could not be used stand
// beside the one that followed them. The frame before an action is the one in the
// request that the action answers, in the bytes that were sent: where a frame was
// sent once more at a smaller size, the smaller one. Frames that no reply answered,
// such as the sight of a captcha that a person dealt with, are counted and left out.
//
// The frame after an action is the frame before the next one. After the last action
// it is the frame that was looked at then, if there was one, and otherwise the frame
// before it once more: then nobody looked, which the files say.
package layout
