"""What a bulkhead raises. Each class has a stable `code`; every error pickles."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal, TypeAlias

_FIGURES: Final = ("limit", "active", "queued", "max_queue")
_ARGS: Final[Any] = BaseException.__dict__["args"]

BulkheadErrorCode: TypeAlias = Literal["full", "queue_timeout", "closed", "too_heavy", "reentrant", "call_timeout"]
"""The codes of what a bulkhead raises: `match error.code` narrows a union of its classes."""


class BulkheadError(Exception):
    """A call was rejected or answered early by a bulkhead; `bulkhead` is its name."""

    # Errors 8
    code: ClassVar[BulkheadErrorCode | Literal["bulkhead"]] = "bulkhead"
    """Stable across versions and languages; compare this rather than the text."""
    # Errors 9
    is_rejection: bool = False
    """The work never started, so that it is safe to try it elsewhere."""
    # Errors 10
    is_local_overload: ClassVar[bool] = False
    """This process had no capacity: a retry must not hammer it, a circuit breaker must not count
    it."""

    bulkhead: str

    def __init__(self, message: str, *, bulkhead: str = "", **fields: Any) -> None:
        super().__init__(message)
        self.bulkhead = bulkhead
        self.__dict__.update(fields)

    def as_dict(self) -> dict[str, Any]:
        """Code, text and figures, for JSON and for logs."""
        message = str(self)
        figures = {name: value for name, value in self.__dict__.items() if not name.startswith("_")}
        return {"code": self.code, "message": message, **figures}

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors 12
        return _restore, (type(self), self.args, self.__dict__.copy())


class BulkheadFullError(BulkheadError):
    """No permit was free and no place in the queue; the text says which of the four cases it
    was."""

    code: ClassVar[Literal["full"]] = "full"
    is_rejection = True
    is_local_overload = True

    limit: int
    active: int
    queued: int
    max_queue: int

    # The compiled calls make it of bare figures, because code that sheds load catches many and
    # reads none. It composes its text, and its attributes, when they are read.

    def _find_words(self) -> None:
        if "bulkhead" not in self.__dict__:
            name, text, *values = _ARGS.__get__(self)
            figures = dict(zip(_FIGURES, values))
            self.__dict__.update(bulkhead=name, **figures)
            _ARGS.__set__(self, (f"{name}: {text.format(**figures)}",))

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__ or "bulkhead" in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        self._find_words()
        return getattr(self, name)

    @property
    def args(self) -> tuple[Any, ...]:
        self._find_words()
        args: tuple[Any, ...] = _ARGS.__get__(self)
        return args

    @args.setter
    def args(self, args: tuple[Any, ...]) -> None:
        _ARGS.__set__(self, args)

    def __str__(self) -> str:
        self._find_words()
        return super().__str__()

    def __repr__(self) -> str:
        self._find_words()
        return super().__repr__()


class BulkheadTimeoutError(BulkheadError):
    """The call left the queue without a permit: its time-out or its deadline came first.

    Deliberately no subclass of `TimeoutError`: the dependency did not time out, it was never asked.
    """

    code: ClassVar[Literal["queue_timeout"]] = "queue_timeout"
    is_rejection = True
    is_local_overload = True

    limit: int
    active: int
    queued: int
    max_queue: int
    waited: float
    """Seconds in the queue."""


class BulkheadClosedError(BulkheadError):
    """The bulkhead was closed or is draining.

    Work that was under way when it was closed with `abort=True` ends so too; then `is_rejection` is
    false.
    """

    code: ClassVar[Literal["closed"]] = "closed"
    is_rejection = True


class BulkheadWeightError(BulkheadError):
    """The call is heavier than the limit, so that it could never run."""

    code: ClassVar[Literal["too_heavy"]] = "too_heavy"
    is_rejection = True

    weight: int
    limit: int


class BulkheadReentrantError(BulkheadError):
    """The call would wait for permits that its own caller holds; raised only with
    `detect_reentrancy`."""

    code: ClassVar[Literal["reentrant"]] = "reentrant"
    is_rejection = True

    weight: int
    limit: int
    holding: int
    """The permits that its own context held."""


# Errors 11
class BulkheadCallTimeoutError(BulkheadError, TimeoutError):
    """The work ran for longer than `call_timeout`, or past its deadline, and was cancelled."""

    code: ClassVar[Literal["call_timeout"]] = "call_timeout"

    ran: float
    """Seconds from the grant to the cancellation."""


def _restore(cls: type[BulkheadError], args: tuple[Any, ...], state: dict[str, Any]) -> BulkheadError:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error
