/** Why a request is refused, as the service would say it. */
export interface Fault {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

/** The fault of a request that is wrong in itself. */
export function invalid(message: string): Fault {
  return { status: 400, type: "invalid_request_error", message };
}

/** The first fault that is found in a list; the items after it are not looked at. */
export function firstFault<Item>(items: Iterable<Item>, faultOf: (item: Item) => Fault | undefined): Fault | undefined {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
