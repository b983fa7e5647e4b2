// Package parquet writes an export's rows as Parquet files in the way that Hugging
// Face's datasets reads them: data/PART-00000-of-00002.parquet and so on, with the
// pictures in the rows, marked as such in the files' own metadata, so that they are
// loaded as pictures.
//
// A row has messages, whose content is a list of parts of type "image" or "text", and
// images, which are the pictures of those parts in their order. tools is the request's
// native tools as JSON text. A preference pair has the request alone in messages, and
// its two answers in chosen and rejected. The column fara is a JSON object with all that
// is known of the row, the same that other formats have as columns; what rows are chosen
// by stands in columns of its own too.
//
// The same rows give the same bytes.
package parquet
