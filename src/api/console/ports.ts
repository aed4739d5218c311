/** What calls of the console need of the parts that dispatch and send; one member a noun, filled in `http.ts`. */
export interface ConsolePorts {}
