/** The same function for one caller after the other: a call begins when all earlier ones have ended, however they did. */
export function oneAtATime<Argument, Result>(work: (argument: Argument) => Promise<Result>): (argument: Argument) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (argument) => {
    const result = last.then(() => work(argument));
    last = result.catch(() => undefined);
    return result;
  };
}
