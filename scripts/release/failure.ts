/** An error that says everything in its message, so that it is printed without a stack. */
export class ReleaseError extends Error {
  override readonly name = "ReleaseError";
}
