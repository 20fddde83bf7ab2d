/** The version of the event format. Additive changes keep it. */
export const EVENT_VERSION = 1;
