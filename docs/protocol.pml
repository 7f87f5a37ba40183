/*
 * The protocol of one delivery, written from the design and not from the code.
 *
 * Modelled: runners, each of which starts STARTS times and may crash between any two steps; one shard of the ledger on a
 * git server that compares and swaps, may lose its answer, and may carry a push out late, even after its runner has
 * crashed; a platform that stores, refuses or loses a request, and may lose its answer; recovery records, which a crash
 * may take along; a truthful maintainer; a clock.
 *
 * Abstracted: one delivery, so no order, twins or editions. The shard's tip is a number that grows with every commit. An
 * intent is sent while it is YOUNG, and its runner is given up when it is DEAD; its age counts from its arrival. Looking
 * at the clock and sending are one step: a machine that freezes there for a quarter of an hour is a limit that the design
 * names. So are a maintainer's look and word. Outcomes and words are pushed until they are there: one step stands for that.
 *
 * Checked, in every state: no request before its intent, one for each attempt, no more requests than attempts, no second
 * post; what is free has no post, what is delivered has one; a receipt that a run ended well with, or that the ledger had,
 * is there. And no end but a good one: all runs over, nothing open.
 *
 * sh testdata/spin.sh runs it, right and with each of the mistakes below. By hand, in a folder of its own:
 *	spin -a protocol.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan -m100000
 *	spin -DNO_LEASE -a protocol.pml and the same; then spin -DNO_LEASE -t -p protocol.pml shows the way to the error
 *
 * Mistakes: NO_LEASE a push overwrites, NO_REREAD an unknown push counts as won, EXPIRE an old intent is free,
 * RETRY a request without an answer is made again, NO_READY nobody looks at the clock, HURRY "not posted" is believed at
 * once, DROP an outcome is pushed once only, NOBODY resolves.
 */

#ifndef RUNNERS
#define RUNNERS 2
#endif
#ifndef STARTS
#define STARTS 2
#endif
#define ATTEMPTS 4	/* as many as all runners start, at most */

mtype = { NONE, INTENDED, UNKNOWN, REJECTED, DELIVERED, RELEASED, ABANDONED };	/* states of the record */
mtype = { NOTHING, RECEIPT, NO_ANSWER, REFUSED, UNSENT };			/* what a runner heard */

#define YOUNG 0
#define OLD   1
#define DEAD  2

#define FREE (state == NONE || state == RELEASED)
#define OPEN (state == INTENDED || state == UNKNOWN || state == REJECTED)

/* The shard on the remote. */
mtype state = NONE;
byte tip, attempt;
byte nonce[ATTEMPTS + 1];	/* of every attempt: the number of the start that made it */
bool receipt[ATTEMPTS + 1];

byte age[ATTEMPTS + 1];		/* of the intents */
byte feed, requests;		/* posts there; requests so far */
bool asked[ATTEMPTS + 1];	/* a request was made for it */
bool kept[ATTEMPTS + 1];	/* a disk holds its receipt */
bool told[ATTEMPTS + 1];	/* a run ended well, with its receipt */
byte ended;			/* runners */

/* The server's part of pushing an intent. The lease is the tip that the runner fetched. */
inline push(lease, whose, swapped) {
#ifdef NO_LEASE
	swapped = true;
#else
	swapped = (lease == tip);
#endif
	if
	:: swapped ->
		if
		:: FREE -> attempt++
		:: else			/* without a lease only: in place of the attempt that is there */
		fi;
		nonce[attempt] = whose;
		age[attempt] = YOUNG;
		state = INTENDED;
		tip++
	:: else
	fi
}

/* The outcome of an attempt, into whatever record there is. What is late changes a state only if it is a receipt. */
inline settle(which, heard) {
	if
	:: heard == RECEIPT -> receipt[which] = true; state = DELIVERED
	:: heard != RECEIPT && which == attempt && state == INTENDED ->
		if
		:: heard == UNSENT -> state = RELEASED
		:: heard == REFUSED -> state = REJECTED
		:: heard == NO_ANSWER -> state = UNKNOWN
		fi
	:: else
	fi;
	tip++
}

proctype server(byte lease, whose) {
	bool swapped;
	atomic { push(lease, whose, swapped) }	/* some time later */
}

/* The shard holds an intent of this start, under whatever attempt. */
#define OURS (nonce[1] == me || nonce[2] == me || nonce[3] == me || nonce[4] == me)

proctype runner() {
	byte starts, me, lease, mine;
	mtype heard;
	bool swapped, slow;

rest:	atomic {
		mine = 0; lease = 0; me = 0; heard = NOTHING; slow = false;
		if
		:: starts < STARTS -> starts++; me = _pid * STARTS + starts
		:: ended++; goto over
		fi
	}
fetch:	atomic {	/* one picture of the shard, from which alone it is decided */
		if
		:: goto rest						/* crashed */
		:: nonce[attempt] == me && state == INTENDED -> mine = attempt; goto ready
		:: OURS && !(nonce[attempt] == me && state == INTENDED) -> goto rest	/* resolved meanwhile */
		:: !OURS && FREE -> lease = tip
#ifdef EXPIRE
		:: !OURS && state == INTENDED && age[attempt] == DEAD -> state = RELEASED; lease = tip
#endif
		:: !OURS && !FREE -> goto rest				/* taken by another */
		fi
	}
	atomic {
		if
		:: goto rest						/* crashed */
		:: push(lease, me, swapped);
			lease = 0;
			if
			:: swapped -> swapped = false; mine = attempt; goto ready	/* won */
			:: swapped = false; goto unknown					/* lost; or unknown, and carried out */
			fi
		:: !slow -> slow = true; run server(lease, me); goto unknown	/* unknown, and the server is slow */
		:: goto unknown						/* unknown, and never carried out */
		fi
	}
unknown:
#ifdef NO_REREAD
	atomic {
		if
		:: FREE -> mine = attempt + 1
		:: else -> mine = attempt
		fi
	}
#else
	goto fetch;
#endif
ready:	atomic {	/* the clock, and the request */
		if
		:: goto rest						/* crashed */
		:: heard = UNSENT					/* the platform cannot be reached */
#ifdef NO_READY
		:: true ->
#else
		:: age[mine] != YOUNG -> heard = UNSENT
		:: age[mine] == YOUNG ->
#endif
			assert(mine <= attempt && nonce[mine] == me);
#ifndef RETRY
			assert(!asked[mine]);
#endif
			asked[mine] = true;
			requests++;
			assert(requests <= attempt);
			if
			:: feed++; heard = RECEIPT
			:: feed++; heard = NO_ANSWER			/* stored, and the answer is lost */
			:: heard = NO_ANSWER
			:: heard = REFUSED
			fi;
			assert(feed <= 1);
#ifdef RETRY
			if
			:: heard == NO_ANSWER -> goto ready
			:: else
			fi
#endif
		fi
	}
	atomic {
		if
		:: goto rest						/* crashed */
		:: heard == RECEIPT -> kept[mine] = true
		:: true							/* nothing to keep, or a disk that takes nothing */
		fi
	}
	atomic {
		if
		:: goto rest						/* crashed; what it kept can be merged */
		:: kept[mine] -> kept[mine] = false; goto rest		/* crashed, and its disk is gone */
		:: settle(mine, heard)
#ifdef DROP
		:: true
#endif
		fi
	}
	atomic { told[mine] = (heard == RECEIPT); kept[mine] = false; goto rest }
over:	skip
}

#define MERGE(i) atomic { kept[i] -> kept[i] = false; settle(i, RECEIPT) }

proctype maintainer() {
	do
#ifndef NOBODY
	:: atomic { OPEN && feed > 0 -> state = DELIVERED; tip++ }
#ifdef HURRY
	:: atomic { OPEN && feed == 0 -> state = RELEASED; tip++ }
#else
	:: atomic { OPEN && feed == 0 && (state != INTENDED || age[attempt] == DEAD) -> state = RELEASED; tip++ }
#endif
	:: atomic { OPEN -> state = ABANDONED; tip++ }
#endif
	:: MERGE(1)
	:: MERGE(2)
	:: MERGE(3)
	:: MERGE(4)
	:: atomic { ended == RUNNERS && _nr_pr == 4 && !OPEN -> break }	/* init, clock, monitor and this one are left */
	od
}

proctype clock() {
	byte i;

	do
	:: d_step {
		age[attempt] < DEAD ->
		i = 1;
		do
		:: i <= attempt && age[i] < DEAD -> age[i]++; i++
		:: i <= attempt && age[i] == DEAD -> i++
		:: i > attempt -> break
		od;
		i = 0
	}
	:: ended == RUNNERS && !OPEN -> break
	od
}

#define WELL(i) ((!told[i] || receipt[i]) && (!receipt[i] || state == DELIVERED))

proctype monitor() {
end:	atomic {
		!((!FREE || feed == 0) && (state != DELIVERED || feed > 0) && WELL(1) && WELL(2) && WELL(3) && WELL(4)) ->
		assert(false)
	}
}

init {
	byte i;

	atomic {
		run maintainer(); run clock(); run monitor();
		do
		:: i < RUNNERS -> run runner(); i++
		:: else -> break
		od
	}
}
