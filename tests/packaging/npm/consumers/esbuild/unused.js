import { Bulkhead as _one } from 'bulkheads';
import { VirtualClock as _other } from 'bulkheads/testing';

export const used = 1;
