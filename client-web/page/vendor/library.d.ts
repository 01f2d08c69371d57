// Made by `npm run make-vendor`. Do not edit.
export { h, render, Fragment, createContext, createRef } from "preact";
export { useContext, useEffect, useLayoutEffect, useMemo, useRef, useState, useCallback, useId } from "preact/hooks";
export { signal, computed, effect, batch, untracked, useSignal, useComputed, useSignalEffect, Signal } from "@preact/signals";
export { FluentBundle, FluentResource } from "@fluent/bundle";
