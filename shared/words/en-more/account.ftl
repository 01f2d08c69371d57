### What belongs to an account: passwords, blocked players, saved deployments, queued moves, webhook
### and feed.

password = Password
password-old = Current password
password-new = New password
recovery-code-label = Recovery code

# $name: a player.
unblocked = { $name } is no longer blocked.

# $count: deployments that were read from a file.
file-read =
    { $count ->
        [one] 1 deployment was saved.
       *[other] { $count } deployments were saved.
    }

queue-empty = Nothing is queued.
queue-cleared = The queue is empty now.

webhook-removed = The webhook has been removed. No more notices will be sent.
# $count: lost notices.
webhook-off =
    { $count ->
        [one] The webhook is off, because 1 notice could not be delivered. To turn it on again, set it again or send a test notice.
       *[other] The webhook is off, because { $count } notices in a row could not be delivered. To turn it on again, set it again or send a test notice.
    }
webhook-unused = No notice has been sent yet.
# $date; $delivered: yes or no; $result: the server's words.
webhook-last =
    { $delivered ->
        [yes] Latest notice: { $date }, delivered ({ $result }).
       *[no] Latest notice: { $date }, not delivered ({ $result }).
    }
# $count: notices.
webhook-waiting =
    { $count ->
        [one] 1 notice is waiting to be sent.
       *[other] { $count } notices are waiting to be sent.
    }
feed-removed = The feed has been removed. Its address no longer works.
