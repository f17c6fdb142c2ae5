/** A failure that one line explains, with the remedy. */
export class Failure extends Error {
  override readonly name = "Failure";
}
